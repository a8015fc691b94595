"""Contact as a linear complementarity problem."""

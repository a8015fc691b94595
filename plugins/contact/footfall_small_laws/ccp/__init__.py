"""Contact as a convex cone complementarity problem."""

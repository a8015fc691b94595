"""Laws on the recorded pushes of a real cube."""

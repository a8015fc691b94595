"""Laws on the recorded tosses of a real cube."""

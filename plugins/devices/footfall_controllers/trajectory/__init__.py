"""Joint trajectories from a file, played back and tracked."""

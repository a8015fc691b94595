"""Newton's method on the whole problem, for where sweeps are slow."""

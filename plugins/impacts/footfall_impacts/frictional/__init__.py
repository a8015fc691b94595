"""The two-phase impact with friction."""

"""The checks of roles that are not of one step's equations."""

"""The checks of roles that act beside the step."""

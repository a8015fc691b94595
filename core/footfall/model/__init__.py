"""The model package."""

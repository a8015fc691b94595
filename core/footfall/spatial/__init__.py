"""The spatial package."""

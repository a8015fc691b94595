"""The interfaces package."""

"""The geometry package."""

"""The config package."""

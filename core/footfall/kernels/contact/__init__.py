"""The contact package."""

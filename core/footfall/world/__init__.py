"""The world package."""

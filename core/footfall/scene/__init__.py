"""The scene package."""

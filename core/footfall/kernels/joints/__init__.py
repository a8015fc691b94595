"""The joints package."""

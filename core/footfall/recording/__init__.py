"""The recording package."""

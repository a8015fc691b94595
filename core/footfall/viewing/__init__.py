"""The viewing package."""

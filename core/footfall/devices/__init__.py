"""The devices package."""

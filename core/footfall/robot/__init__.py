"""The robot package."""

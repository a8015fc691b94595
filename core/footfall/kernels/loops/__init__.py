"""The loops package."""

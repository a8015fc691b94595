"""The continuous package."""

"""The assembly package."""

"""The testing package."""

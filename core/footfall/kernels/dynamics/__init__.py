"""The dynamics package."""

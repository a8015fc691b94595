"""The step package."""

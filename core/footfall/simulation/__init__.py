"""The simulation package."""

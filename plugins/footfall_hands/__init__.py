"""The footfall_hands package."""

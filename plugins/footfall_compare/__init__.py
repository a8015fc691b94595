"""The footfall_compare package."""

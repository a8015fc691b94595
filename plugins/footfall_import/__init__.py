"""The footfall_import package."""

"""The footfall_validate package."""

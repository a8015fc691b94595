"""The stepping package."""

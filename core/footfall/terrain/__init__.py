"""Patches of terrains: coefficients that depend on the position."""

"""Patches of terrains: coefficients that differ from place to place."""

"""Compiled parts of collision detection."""

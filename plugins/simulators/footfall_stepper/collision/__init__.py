"""Collision detection: where shapes touch, as a function of their poses alone."""

"""Collision detection: contacts between shapes, as a function of their poses alone."""

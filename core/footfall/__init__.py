"""Footfall: a plugin-based simulation toolkit for robots that touch the ground."""

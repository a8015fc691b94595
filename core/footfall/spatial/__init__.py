"""Poses and rotations in double precision."""

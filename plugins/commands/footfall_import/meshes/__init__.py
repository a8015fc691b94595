"""Mesh files: readers, checks, and those that are missing."""

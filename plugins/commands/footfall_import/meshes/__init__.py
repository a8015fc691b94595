"""Mesh files: readers, checks, and reports of missing files."""

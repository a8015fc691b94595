"""Kernels of the terrains: signed distances and normals."""

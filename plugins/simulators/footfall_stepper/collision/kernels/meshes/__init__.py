"""Kernels of triangle meshes: their surface, against a convex shape, against each other."""

"""Shapes, meshes, convex hulls and mass properties of solids."""

"""Kernels of contacts: points, matching, the contact problem, the forces that came of it."""

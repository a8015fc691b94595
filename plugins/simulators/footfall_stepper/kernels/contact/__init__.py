"""Kernels of contacts: points, matching, the contact problem, the resulting forces."""

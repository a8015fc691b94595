"""Kernels of the methods of the Delassus matrix."""

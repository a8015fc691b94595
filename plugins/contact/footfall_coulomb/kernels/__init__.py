"""Kernels of the law ``coulomb``."""

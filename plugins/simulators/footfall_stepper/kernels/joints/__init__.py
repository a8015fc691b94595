"""Kernels of joints: commands and drives, limits and Coulomb friction."""

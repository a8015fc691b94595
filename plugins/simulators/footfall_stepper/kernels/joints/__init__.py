"""Kernels of joints: commands and drives."""

"""Kernels of the sensors."""

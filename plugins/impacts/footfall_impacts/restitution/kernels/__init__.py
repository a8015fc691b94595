"""Kernels of the impact with restitution and friction."""

"""Kernels of collision detection: broad phase, narrow phase, manifolds."""

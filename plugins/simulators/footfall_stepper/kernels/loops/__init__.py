"""Kernels of closed loops: their rows, their elimination, their rates."""

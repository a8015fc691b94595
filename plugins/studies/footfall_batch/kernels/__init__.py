"""Kernels of batches."""

"""Kernels of derivatives of a step."""

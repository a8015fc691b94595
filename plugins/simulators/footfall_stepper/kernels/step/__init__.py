"""Kernels that a step calls: its stages, energies, and the row of the recording."""

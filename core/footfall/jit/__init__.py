"""Kernels: compiling, caching and checking functions, and tables of arrays."""

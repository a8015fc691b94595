"""Kernels of continuous time: the rates of a state, and the rows of a recording."""

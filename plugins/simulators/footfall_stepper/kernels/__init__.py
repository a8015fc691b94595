"""Compiled inner loops, each with its equation in its docstring."""

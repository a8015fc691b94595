"""The jit package."""

"""Readers of URDF, MJCF and SRDF files: text and numbers as plain values."""

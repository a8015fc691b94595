"""Kernels of the Delassus matrix from articulated-body quantities."""

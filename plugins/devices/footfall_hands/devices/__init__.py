"""Hands that need no viewer: moved by a script, or by another program over the network."""

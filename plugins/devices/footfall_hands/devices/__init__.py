"""Hands that need no viewer: moved by a script, or from outside over the network."""

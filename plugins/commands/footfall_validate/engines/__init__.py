"""Dynamics engines against each other."""

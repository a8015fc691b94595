"""Checks of impacts."""

"""Savings by collision groups."""

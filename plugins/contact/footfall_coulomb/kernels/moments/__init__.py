"""Contacts with torsional and rolling friction."""

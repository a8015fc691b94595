"""Limits that every server of sockets needs, whoever connects to it."""

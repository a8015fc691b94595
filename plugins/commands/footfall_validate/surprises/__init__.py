"""Twelve things that surprise users of simulators."""

"""The step: time stepping, continuous time, impacts, contacts, loops."""

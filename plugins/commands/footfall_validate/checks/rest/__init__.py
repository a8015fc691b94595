"""Checks of bodies at rest."""

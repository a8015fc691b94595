"""Checks of motion without contact, of energy and of the order of the integrator."""

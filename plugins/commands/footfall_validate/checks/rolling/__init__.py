"""Checks of bodies that roll, rock and spin on the ground."""

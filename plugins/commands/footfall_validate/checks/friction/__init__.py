"""Checks of friction: sticking, sliding, jamming."""

"""From a validated scene to a simulator: bodies, collision shapes, ground, loops, start state."""

"""Assembly of a simulator from a validated scene: bodies, shapes, ground, loops, start state."""

"""The simulator: what steps a scene, its role, and how one is made of a scene or a saved state."""

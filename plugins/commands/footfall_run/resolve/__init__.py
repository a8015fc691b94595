"""``footfall resolve``: every value of a scene, and where it comes from."""

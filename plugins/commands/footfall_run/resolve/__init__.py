"""``footfall resolve``: every value of a scene, and its source."""

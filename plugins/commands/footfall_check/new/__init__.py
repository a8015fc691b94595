"""``footfall new``: write a plugin package that works from the start."""

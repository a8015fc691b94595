"""``footfall new``: a package of somebody's own that works from the start."""

"""``footfall scenes``, ``plugins`` and ``schema``: lists of scenes, plugins and keys."""

"""``footfall scenes``, ``plugins`` and ``schema``: what there is to choose from."""

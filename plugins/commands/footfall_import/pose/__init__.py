"""``footfall pose`` and ``footfall.pose``: joint positions in which frames are where they shall."""

"""``footfall twin`` and ``footfall.twin``: compare two simulators layer by layer."""

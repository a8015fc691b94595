"""A registry in the place of what is installed, with the commands that every installation has."""

from importlib import import_module

import footfall
from footfall.registry import discover as discovery

COMMANDS = ("run", "export", "scenes", "plugins", "schema", "check")
"""In the order of the listing."""
UNORDERED = ("doctor", "new", "resolve", "warm")
"""Listed after those, by name."""


def stand_in(monkeypatch, registry):
    """Let what looks for plugins find those of a registry, and return it."""
    for package in ("footfall_run", "footfall_check"):
        import_module(package).footfall_register(registry)
    for name in footfall.__all__:  # imported now, with what is installed
        getattr(footfall, name)
    for module in (footfall, discovery):
        monkeypatch.setattr(module, "discover", lambda: registry)
    return registry

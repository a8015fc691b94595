"""Discovery of installed plugins, one entry point at a time: one that is broken harms no other."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import pluggy

from footfall import registry as hook
from footfall.errors import PluginError, reason
from footfall.registry.loaders import Origin
from footfall.registry.registry import Broken, Registry

GROUP = "footfall"
"""Group of the entry points that name plugins' modules."""


def discover() -> Registry:
    """Return a registry of every installed plugin; what cannot be loaded is in ``broken``."""
    registry = Registry()
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        origin = _origin(point)
        try:
            registry.merge(_registered(point), origin)
        except (Exception, SystemExit) as error:
            why = str(error) if isinstance(error, PluginError) else reason(error)
            registry.broken.append(Broken(origin, why))
    return registry


def _origin(point: EntryPoint) -> Origin:
    dist = point.dist
    return Origin(
        point.name, point.value, dist.name if dist else "?", dist.version if dist else "?"
    )


def _registered(point: EntryPoint) -> Registry:
    """Import one plugin and return what it alone registers."""
    manager = pluggy.PluginManager(hook.PROJECT)
    manager.add_hookspecs(hook)
    plugin = point.load()
    manager.register(plugin)
    manager.check_pending()
    if not manager.get_hookcallers(plugin):
        raise PluginError(f"{point.value} implements no hook footfall_register")
    registry = Registry()
    manager.hook.footfall_register(registry=registry)
    return registry

"""Discovery of installed plugins, one entry point at a time: a broken one affects no other."""

from __future__ import annotations

from functools import cache
from importlib.metadata import Distribution, entry_points

import pluggy

from footfall import registry as hook
from footfall.errors import PluginError
from footfall.registry.loaders import Origin, load_fault
from footfall.registry.registry import Broken, Registry

GROUP = "footfall"
"""Group of the entry points that name plugins' modules."""


def discover() -> Registry:
    """Return a registry of all installed plugins; ``broken`` lists those that do not load."""
    registry, named = Registry(), cache(_named)
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        origin = Origin(point.name, point.value, *named(point.dist))
        try:
            registry.merge(_registered(point.load(), point.value), origin)
        except (Exception, SystemExit) as error:
            why = str(error) if isinstance(error, PluginError) else load_fault(error)
            registry.broken.append(Broken(origin, why))
    return registry


def _named(dist: Distribution | None) -> tuple[str, str]:
    return (dist.name, dist.version) if dist else ("?", "?")


@cache
def _registered(plugin: object, value: str) -> Registry:
    """Return the registry of one plugin alone; cached, as scenes are loaded many times."""
    manager = pluggy.PluginManager(hook.PROJECT)
    manager.add_hookspecs(hook)
    manager.register(plugin)
    manager.check_pending()
    if not manager.get_hookcallers(plugin):
        raise PluginError(f"{value} implements no hook footfall_register")
    registry = Registry()
    manager.hook.footfall_register(registry=registry)
    return registry

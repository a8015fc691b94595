"""Discovery of installed plugins, one entry point at a time: a broken one affects no other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points

import pluggy

from footfall import registry as hook
from footfall.errors import PluginError
from footfall.registry.loaders import Origin, load_fault
from footfall.registry.registry import Broken, Registry

GROUP = "footfall"
"""Group of the entry points that name plugins' modules."""


def discover() -> Registry:
    """Return a registry of all installed plugins; ``broken`` lists those that do not load."""
    registry = Registry()
    changed = tuple(os.stat(p).st_mtime_ns if os.path.isdir(p) else 0 for p in sys.path)
    for point, origin in _installed(entry_points, tuple(sys.path), changed):
        try:
            registry.merge(_registered(point.load(), origin))
        except (Exception, SystemExit) as error:
            why = str(error) if isinstance(error, PluginError) else load_fault(error)
            registry.broken.append(Broken(origin, why))
    return registry


@cache
def _installed(
    find: Callable[..., EntryPoints], path: tuple[str, ...], changed: tuple[int, ...]
) -> tuple[tuple[EntryPoint, Origin], ...]:
    """Return the entry points by name; kept while no folder of the path changes, [ns]."""
    points = sorted(find(group=GROUP), key=lambda point: (point.name, point.value))
    named = cache(lambda dist: (dist.name, dist.version) if dist else ("?", "?"))
    return tuple((point, Origin(point.name, point.value, *named(point.dist))) for point in points)


@cache
def _registered(plugin: object, origin: Origin) -> Registry:
    """Return the registry of one plugin alone; cached, as scenes are loaded many times."""
    manager = pluggy.PluginManager(hook.PROJECT)
    manager.add_hookspecs(hook)
    manager.register(plugin)
    manager.check_pending()
    if not manager.get_hookcallers(plugin):
        raise PluginError(f"{origin.module} implements no hook footfall_register")
    registry, marked = Registry(), Registry()
    manager.hook.footfall_register(registry=registry)
    marked.merge(registry, origin)
    return marked

"""Find installed plugins, one entry point at a time, so that one broken neighbour harms no one."""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint, entry_points

import pluggy

from footfall.errors import PluginError
from footfall.registry import hook
from footfall.registry.registry import Broken, Origin, Registry

GROUP = "footfall"


def discover() -> Registry:
    """Return a registry of every installed plugin; what cannot be loaded is in ``broken``."""
    registry = Registry()
    manager = pluggy.PluginManager(hook.PROJECT)
    manager.add_hookspecs(hook)
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        origin = _origin(point)
        try:
            _register(manager, point, registry, origin)
        except (Exception, SystemExit) as error:
            registry.broken.append(Broken(origin, f"{type(error).__name__}: {error}"))
    return registry


def _origin(point: EntryPoint) -> Origin:
    dist = point.dist
    return Origin(
        point.name, point.value, dist.name if dist else "?", dist.version if dist else "?"
    )


def _register(
    manager: pluggy.PluginManager, point: EntryPoint, registry: Registry, origin: Origin
) -> None:
    module = importlib.import_module(point.value)
    manager.register(module, name=origin.distribution + ":" + point.name)
    try:
        manager.check_pending()
        if not manager.get_hookcallers(module):
            raise PluginError(f"{point.value} implements no hook footfall_register")
        scratch = Registry()
        others = [p for p in manager.get_plugins() if p is not module]
        manager.subset_hook_caller("footfall_register", others)(registry=scratch)
        registry.merge(scratch, origin)
    except BaseException:
        manager.unregister(module)
        raise

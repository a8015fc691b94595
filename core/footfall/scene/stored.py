"""Get the scene back that a recording or a saved state stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from footfall.config.where import Where
from footfall.registry.registry import Registry
from footfall.scene.compose import compose
from footfall.scene.scene import Scene


def stored_scene(
    resolved: Mapping[str, Any], registry: Registry, **tables: Mapping[str, Any]
) -> Scene:
    """Return the scene that was resolved, with the plugins that are installed now.

    Args:
        resolved: from ``resolved``.
        registry: the installed plugins.
        tables: tables that replace the stored ones, e.g. ``visualizer={"plugin": "none"}``.

    Raises:
        SceneError: if a plugin's settings have changed since, or it is not installed.
        PluginError: if a plugin cannot be loaded.
    """
    return compose(
        {**resolved["scene"], **tables},
        registry,
        name=resolved["name"],
        where=Where(resolved.get("file"), {}),
    )

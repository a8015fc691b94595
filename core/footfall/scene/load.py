"""Load a scene: find it, read it, apply overrides, validate it."""

from __future__ import annotations

from pathlib import Path

from footfall.config.read_toml import read_toml
from footfall.config.where import Where
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene.compose import compose
from footfall.scene.find import find_scene
from footfall.scene.overrides import Overrides, apply_overrides
from footfall.scene.scene import Scene


def load_scene(
    reference: str | Path,
    overrides: Overrides | None = None,
    registry: Registry | None = None,
) -> Scene:
    """Load and validate a scene.

    Args:
        reference: path of a ``.toml`` file, or ``robot/scene`` of a bundled robot.
        overrides: values by dotted key, or nested; they replace those of the file.
        registry: the plugins to choose from; by default those that are installed.

    Raises:
        SceneError: names file, line and key, what was given and what is allowed.
        PluginError: if a chosen plugin cannot be loaded; says why.
    """
    name, path = find_scene(reference)
    toml, notes = apply_overrides(read_toml(path), overrides or {})
    return compose(
        toml.data,
        registry if registry is not None else discover(),
        name=name,
        where=Where(toml.file, toml.lines),
        notes=notes,
    )

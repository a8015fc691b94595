"""Tables of a body's parts: where they stand, and the plugins that they choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from footfall.config.read_toml import read_toml
from footfall.config.toml_lines import KeyPath
from footfall.config.validate import validate
from footfall.config.where import Where
from footfall.errors import PluginError
from footfall.model.robot import Robot
from footfall.registry.registry import Registry
from footfall.scene.scene import Choice, Scene

S = TypeVar("S", bound=BaseModel)
Placed = tuple[S, Where, KeyPath]
"""A table with where it stands, for errors."""


def tables_of(
    scene: Scene, body: str, robot: Robot, key: str, given: Sequence[S] | None, own: Sequence[S]
) -> list[Placed[S]]:
    """Return a body's tables of one kind: the scene's, or else the robot's own.

    Args:
        scene: the scene.
        body: name of the body.
        robot: what it is.
        key: of the tables, e.g. ``actuators``.
        given: tables of the scene, None if it has none.
        own: tables of the robot.
    """
    if given is not None:
        return [(spec, scene.where, ("bodies", body, key, i)) for i, spec in enumerate(given)]
    if not own:
        return []
    toml = read_toml(robot.file)
    where = Where(toml.file, toml.lines)
    return [(spec, where, (key, i)) for i, spec in enumerate(own)]


def choose_part(
    role: str,
    plugin: str,
    settings: Mapping[str, Any],
    also_allowed: Sequence[str],
    place: tuple[Where, KeyPath],
    registry: Registry,
) -> Choice:
    """Load the plugin that a table names and validate its own keys.

    Raises:
        SceneError: if there is no such plugin, or a key or value is not allowed.
        PluginError: if the plugin cannot be loaded; says why.
    """
    where, path = place
    try:
        entry = registry.find(role, plugin)
    except PluginError as error:
        raise where.error(str(error), (*path, "plugin")) from error
    try:
        cls = entry.load()
    except PluginError as error:
        asked = where.error(str(error), (*path, "plugin"))
        raise PluginError(str(asked)) from error
    valid = validate(
        cls.Config,
        settings,
        file=where.file,
        lines=where.lines,
        prefix=path,
        also_allowed=also_allowed,
    )
    return Choice(role, entry.name, valid, None, entry.origin, entry.requires)

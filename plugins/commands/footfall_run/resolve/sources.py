"""Sources of the values of a scene: file, robot, override or default."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from footfall import Scene, assemble, load_robot, resolved
from footfall.api.advanced import read_toml
from footfall.api.command import Key

OF_ROBOT = {
    "base": ("base",),
    "base_position": ("base_position",),
    "base_orientation": ("base_orientation",),
    "joint_positions": ("posture",),
    "friction": ("contact", "friction"),
    "restitution": ("contact", "restitution"),
    "actuators": ("actuators",),
    "sensors": ("sensors",),
}
"""Keys of a body with a value in the robot's file if the scene has none, and their keys there."""
PACE = ("rate", "delay")
"""Keys of a controller's table that belong to the core, not to the plugin."""


@dataclass(frozen=True, slots=True)
class Row:
    """A key of a scene.

    Attributes:
        key: dotted, as TOML writes it.
        value: its value.
        source: source of the value as text, e.g. ``scene.toml:12``.
    """

    key: str
    value: Any
    source: str


def rows(scene: Scene) -> Iterator[Row]:
    """Yield every key of a scene: the given ones, and the defaults of all chosen plugins."""
    tables = resolved(scene)
    of_robots = {row.key: row for row in _of_robots(scene, tables["scene"]["bodies"])}
    for path, value in leaves(tables["scene"]):
        own = Row(str(Key(path)), value, _source(scene, path, tables))
        if path == ("simulation", "substeps") and value == "auto":
            made = assemble(scene).provenance.resolved["scene"]["simulation"]["substeps"]
            own = Row(own.key, made, f'"auto", {own.source}')
        yield of_robots.pop(own.key, own)
    yield from of_robots.values()


def _of_robots(scene: Scene, said: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the values of the robots' files for keys that the scene leaves out.

    Args:
        scene: the scene.
        said: its own tables of bodies, by name.
    """
    for name, body in scene.bodies.items():
        if body.robot is None:
            continue
        robot = load_robot(body.robot, scene.folder)
        if robot.file.suffix != ".toml":
            continue
        file = read_toml(robot.file)
        for key, place in OF_ROBOT.items():
            value = _at(file.data, place)
            if value is not None and not said[name].get(key):
                yield Row(
                    str(Key(("bodies", name, key))), value, f"{robot.file}:{file.lines[place]}"
                )


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield path and value of every key of nested tables; an empty table is a value."""
    if isinstance(value, Mapping) and (value or not path):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    else:
        yield path, value


def toml(value: Any) -> str:
    """Write a value as TOML in one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{Key((key,))!s} = {toml(part)}" for key, part in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


def _source(scene: Scene, path: tuple[str, ...], tables: Mapping[str, Any]) -> str:
    """Return the source of a key of the scene's own tables."""
    where, lines = scene.where, scene.where.lines
    if path[0] == "pairs" and path[1:]:  # bodies in any order
        names = set(path[1].split("/"))
        for given in lines:
            same = len(given) == len(path) and given[0] == "pairs" and given[2:] == path[2:]
            if same and names == set(str(given[1]).split("/")):
                path = tuple(map(str, given))
    if path in lines:
        return "override" if lines[path] is None else f"{where.file}:{lines[path]}"
    if path[0] == "bodies" and path[:2] not in lines:
        return f"{where.file}, one of several copies" if where.file else "given in Python"
    for n in range(len(path) - 1, 0, -1):
        choice = tables["plugins"].get(str(Key(path[:n])))
        own = choice is not None and path[n] != "plugin"
        if own and not (path[n - 1] == "controller" and path[n] in PACE):
            version = f" ({choice['distribution']} {choice['version']})" * ("version" in choice)
            return f"default of {choice['plugin']}{version}"
        if choice is not None:
            break
    return f"default (footfall {tables['footfall']})"


def _at(data: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data

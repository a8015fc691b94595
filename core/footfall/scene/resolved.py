"""The resolved scene: all settings with defaults and versions, to store and to read back."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from footfall.config.fields import FUNCTION_PATTERN, OPEN_SCHEMA
from footfall.config.toml import Where, dotted
from footfall.config.validate import validate
from footfall.errors import SceneError
from footfall.registry.registry import Registry
from footfall.scene.choose import PLUGIN
from footfall.scene.load import compose
from footfall.scene.scene import HAND, SIMULATOR, Choice, Hand, Scene

ALWAYS = ("numpy", "scipy", "llvmlite")
"""Packages that every run uses."""


def package_versions(required: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python, of the packages of every run, and of required packages.

    Args:
        required: import names. The version is the module's ``__version__``, or that of the
            distribution of the same name; a module with neither is left out.
    """
    versions = {"python": platform.python_version()}
    for name in sorted({*ALWAYS, *required}):
        found = getattr(sys.modules.get(name), "__version__", None) or _installed(name)
        if found:
            versions[name] = str(found)
    return versions


@cache
def _installed(name: str) -> str | None:
    """Return the version of a distribution; reading its metadata takes milliseconds."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


Resolved = dict[str, Any]
DEFAULTS = 3
"""Version of the defaults of core and of the bundled plugins, raised with every change of a default
that may affect results. Recordings and saved states hold it."""


def resolved(
    scene: Scene, robots: Mapping[str, Any] | None = None, *, without: Iterable[str] = ()
) -> Resolved:
    """Return a scene as plain tables that JSON and TOML can hold.

    Args:
        scene: the scene.
        robots: data to store on the robots by body name, e.g. digests of their files.
        without: keys of ``[simulation]`` that have no effect in the scene: their defaults would be
            rejected when the tables are loaded again.

    Returns:
        ``scene``: tables that load as the same scene; ``plugins``: name, distribution and version
        by key of the table that chooses them; ``packages``: versions; ``footfall``: its version;
        ``name``, ``file`` (absolute) and ``robots``; ``defaults``: their version; ``given``: keys
        that are not defaults, if the scene is from a file.
    """
    choices = dict(scene.choices())
    tables: Resolved = {
        "footfall": _installed("footfall"),
        "defaults": DEFAULTS,
        "name": scene.name,
        "scene": _tables(scene, set(without)),
        "plugins": {
            key: _origin(choice) for key, choice in choices.items() if not _is_default(choice)
        },
        "packages": package_versions(name for c in choices.values() for name in c.requires),
        "robots": dict(robots or {}),
    }
    if scene.where.lines:
        tables["given"] = sorted({dotted(path) for path in scene.where.lines})
    if scene.file:
        tables["file"] = str(Path(scene.file).resolve())
    return tables


def _tables(scene: Scene, without: set[str]) -> Resolved:
    tables: Resolved = {
        "description": scene.description,
        "simulation": _dump(scene.simulation, exclude=without),
        "world": {
            "gravity": list(scene.world.gravity),
            "terrain": _choice(scene.world.terrain),
        },
        "bodies": {
            name: {
                **_dump(body, exclude={"name", "controller", "pace"}),
                "controller": _choice(body.controller) | _dump(body.pace, unset=False),
            }
            for name, body in scene.bodies.items()
        },
        "recorder": _dump(scene.recorder),
        "collisions": _dump(scene.collisions),
        "pairs": {"/".join(names): _dump(pair) for names, pair in scene.pairs.items()},
    }
    if scene.units.model_fields_set:
        tables["units"] = _dump(scene.units)
    if scene.pushes:
        tables["pushes"] = [_dump(push, unset=False) for push in scene.pushes]
    if scene.hands:
        tables["hands"] = {name: _hand(hand) for name, hand in scene.hands.items()}
    for role in ("engine", *scene.LAWS, "visualizer", *(("simulator",) if scene.set_aside else ())):
        tables[role] = _choice(getattr(scene, role))
    return tables


def _choice(choice: Choice) -> Resolved:
    table = {"plugin": choice.plugin, **_dump(choice.config)}
    if choice.solver:
        table["solver"] = _choice(choice.solver)
    return table


def _hand(hand: Hand) -> Resolved:
    """Return the table of a hand, without its interaction if that is the default.

    Saved states of earlier versions have no interaction: this keeps them valid.
    """
    table = _choice(hand.interaction)
    if _is_default(hand.interaction):
        del table[PLUGIN]
    return table | {"device": _choice(hand.device)}


def _is_default(choice: Choice) -> bool:
    """Return whether a choice is the default interaction or simulator, which are not stored."""
    return any((choice.role, choice.plugin) == (s.role, s.default) for s in (HAND, SIMULATOR))


def _origin(choice: Choice) -> Resolved:
    table: Resolved = {"plugin": choice.plugin}
    if choice.origin:
        table |= {"distribution": choice.origin.distribution, "version": choice.origin.version}
    if choice.live:
        table["live"] = True
    return table


def _dump(model: BaseModel, exclude: set[str] | None = None, *, unset: bool = True) -> Resolved:
    """Return a model's fields as in a file; fields that are None are left out.

    Without ``unset``, defaults are left out too, for tables that reject keys without effect.
    """
    return model.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude=exclude, exclude_unset=not unset
    )


class _Tables(BaseModel):
    model_config = OPEN_SCHEMA
    simulation: dict[str, Any]
    world: dict[str, Any]
    bodies: dict[str, dict[str, Any]]
    hands: dict[str, dict[str, Any]] = {}


class _Resolved(BaseModel):
    """The schema of the tables that ``resolved`` returns."""

    model_config = OPEN_SCHEMA
    footfall: str
    name: str
    scene: _Tables
    plugins: dict[str, dict[str, Any]]
    robots: dict[str, Any] = {}
    given: list[str] = []
    file: str | None = None


def check_stored(resolved: Any, where: str) -> None:
    """Reject a stored value that is not a resolved scene.

    Raises:
        SceneError: names the damaged key.
    """
    validate(_Resolved, resolved if isinstance(resolved, Mapping) else {}, file=where, lines={})


def named_functions(tables: Any) -> Iterator[str]:
    """Yield the functions, ``module:function``, that the tables of a scene may name."""
    if isinstance(tables, str) and re.fullmatch(FUNCTION_PATTERN, tables):
        yield tables
    elif isinstance(tables, Mapping):
        for key, part in tables.items():
            yield from named_functions(part if key != "description" else None)
    elif isinstance(tables, list):
        for part in tables:
            yield from named_functions(part)


def stored_scene(
    resolved: Mapping[str, Any],
    registry: Registry,
    *,
    trust: bool = False,
    **tables: Mapping[str, Any],
) -> Scene:
    """Return the scene of stored tables, with the plugins that are installed now.

    Args:
        resolved: tables from ``resolved``.
        registry: the installed plugins.
        trust: whether functions that it names may be imported, which runs code.
        tables: tables that replace the stored ones, e.g. ``visualizer={"plugin": "none"}``.

    Raises:
        SceneError: if it is damaged; if it names functions and is not trusted (lists them); if a
            plugin is not installed, or its settings have changed since.
        PluginError: if a plugin cannot be loaded.
    """
    check_stored(resolved, "the stored scene")
    scene = {**resolved["scene"], **tables}
    functions = sorted(set(named_functions(scene)))
    if functions and not trust:
        raise SceneError(
            f"the stored scene names functions, which run code: {', '.join(functions)}; "
            "add --trust (in Python: trust=True) if you know where the file is from"
        )
    return compose(
        scene,
        registry,
        name=resolved["name"],
        where=Where(resolved.get("file"), {}),
    )

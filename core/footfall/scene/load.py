"""Loading of scenes: read, overridden and validated; or Python tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from footfall.config.toml import Where, read_toml
from footfall.config.validate import given, validate
from footfall.errors import SceneError, nearest
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene import scene as slots
from footfall.scene.bodies import check_bodies, checked_pairs, copies_of
from footfall.scene.body_parts import choose_controller
from footfall.scene.choose import Chooser, delassus_names
from footfall.scene.find import find_scene
from footfall.scene.hands import choose_hands
from footfall.scene.needs import check_impact_order, impact_notes, simulator_notes
from footfall.scene.overrides import Overrides, apply_overrides, renamed_tables
from footfall.scene.scene import Body, Scene, World
from footfall.scene.schema import SceneFile


def scene_from_dict(
    data: Mapping[str, Any], registry: Registry | None = None, *, name: str = "scene"
) -> Scene:
    """Validate a scene that is given as tables in Python.

    Args:
        data: the content of a scene file; tuples and NumPy arrays count as arrays.
        registry: the plugins to choose from; by default the installed ones.
        name: the scene's name in recordings.

    Raises:
        SceneError: for the first key or value that is not allowed.
        PluginError: if a chosen plugin cannot be loaded.
    """
    registry = registry if registry is not None else discover()
    return compose(data, registry, name=name, where=Where(None, {}))


def compose(
    data: Mapping[str, Any],
    registry: Registry,
    *,
    name: str,
    where: Where,
    notes: tuple[str, ...] = (),
) -> Scene:
    """Validate the tables of a scene; ``where`` is their origin.

    Raises:
        SceneError: for the first key or value that is not allowed.
        PluginError: if a chosen plugin cannot be loaded.
    """
    if isinstance(data, Mapping):
        data, lines, renamed = renamed_tables(data, where.lines)
        notes, where = (*notes, *renamed), Where(where.file, lines)
    tables = validate(SceneFile, data, file=where.file, lines=where.lines)
    check_bodies(tables, where)
    _check_delassus(tables.simulation.delassus, registry, where)
    units, chooser = tables.units, Chooser(registry, where, tables.units)
    gravity = units.defaults_of(tables.world).gravity
    choose = chooser.choose
    contact = choose(slots.CONTACT, tables.contact)
    integrator = choose(slots.INTEGRATOR, tables.integrator)
    scene = Scene(
        name=name,
        description=tables.description,
        file=where.file,
        simulation=units.defaults_of(tables.simulation),
        world=World(gravity, choose(slots.TERRAIN, tables.world.terrain)),
        bodies=_bodies(tables, chooser),
        simulator=choose(slots.SIMULATOR, tables.simulator),
        engine=choose(slots.ENGINE, tables.engine),
        contact=contact,
        impact=choose(slots.IMPACT, tables.impact, default=registry.suiting_impact(contact.plugin)),
        integrator=integrator,
        visualizer=choose(slots.VISUALIZER, tables.visualizer),
        recorder=tables.recorder,
        collisions=units.defaults_of(tables.collisions),
        pushes=tables.pushes,
        hands=choose_hands(tables.hands, integrator, chooser),
        units=units,
        where=where,
    )
    check_impact_order(scene, registry)
    pairs = checked_pairs(tables, scene.bodies, where, detects=scene.detects)
    scene = replace(scene, pairs=pairs)
    return replace(scene, notes=(*notes, *impact_notes(scene, registry), *simulator_notes(scene)))


def _check_delassus(name: str, registry: Registry, where: Where) -> None:
    """Reject an unknown method of the Delassus matrix."""
    names = delassus_names(registry)
    if name not in names:
        *first, last = map(repr, names)
        allowed = f"{', '.join(first)} or {last}" if first else last
        message = f"must be {allowed}, got {given(name)}{nearest(name, names)}"
        raise where.error(message, ("simulation", "delassus"))


def _bodies(tables: SceneFile, chooser: Chooser) -> dict[str, Body]:
    """Return all bodies by name.

    Raises:
        SceneError: if two have the same name, or a plugin's key or value is not allowed.
    """
    bodies: dict[str, Body] = {}
    for key, table in tables.bodies.items():
        controller, pace = choose_controller(key, table.controller, chooser)
        for k, spec in enumerate(table.actuators or ()):
            chooser.part("actuator", spec, ("bodies", key, "actuators", k))
        for name, fields in copies_of(key, table):
            if name in bodies:
                raise chooser.where.error(f"two bodies are called {name!r}", ("bodies", key))
            bodies[name] = Body(**fields, name=name, controller=controller, pace=pace)
    return bodies


@SceneError.of_file()
def load_scene(
    reference: str | Path,
    overrides: Overrides | None = None,
    registry: Registry | None = None,
) -> Scene:
    """Load and validate a scene.

    Args:
        reference: path of a ``.toml`` file, or ``robot/scene`` of a bundled robot.
        overrides: values by dotted key, or nested; they replace those of the file.
        registry: the plugins to choose from; by default the installed ones.

    Raises:
        SceneError: names file, line and key, the given value and the allowed ones.
        PluginError: if a chosen plugin cannot be loaded; gives the reason.
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

"""Compose a scene from the tables of a file, or from the same tables given in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from footfall.config.validate import validate
from footfall.config.where import Where
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene import slots
from footfall.scene.bodies import check_bodies, checked_pairs, copies_of
from footfall.scene.choose import Chooser
from footfall.scene.controllers import choose_controller
from footfall.scene.impacts import check_impact_order, default_impact, impact_notes
from footfall.scene.models import SceneFile
from footfall.scene.scene import Body, Scene, World
from footfall_hands.hands_scene import choose_hands


def scene_from_dict(
    data: Mapping[str, Any], registry: Registry | None = None, *, name: str = "scene"
) -> Scene:
    """Validate a scene that is given as tables in Python.

    Args:
        data: what a scene file would hold; tuples and NumPy arrays are taken as arrays.
        registry: the plugins to choose from; by default those that are installed.
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
    """Validate the tables of a scene; ``where`` says where they are from.

    Raises:
        SceneError: for the first key or value that is not allowed.
        PluginError: if a chosen plugin cannot be loaded.
    """
    tables = validate(SceneFile, data, file=where.file, lines=where.lines)
    check_bodies(tables, where)
    choose = Chooser(registry, where).choose
    contact = choose(slots.CONTACT, tables.contact)
    integrator = choose(slots.INTEGRATOR, tables.integrator)
    scene = Scene(
        name=name,
        description=tables.description,
        file=where.file,
        simulation=tables.simulation,
        world=World(tables.world.gravity, choose(slots.TERRAIN, tables.world.terrain)),
        bodies=_bodies(tables, registry, where),
        engine=choose(slots.ENGINE, tables.engine),
        contact=contact,
        impact=choose(slots.IMPACT, tables.impact, default=default_impact(contact, registry)),
        integrator=integrator,
        visualizer=choose(slots.VISUALIZER, tables.visualizer),
        recorder=tables.recorder,
        collisions=tables.collisions,
        pushes=tables.pushes,
        hands=choose_hands(tables.hands, integrator, Chooser(registry, where)),
        where=where,
    )
    check_impact_order(scene, registry)
    pairs = checked_pairs(tables, scene.bodies, where, detects=scene.detects)
    scene = replace(scene, pairs=pairs)
    return replace(scene, notes=(*notes, *impact_notes(scene, registry)))


def _bodies(tables: SceneFile, registry: Registry, where: Where) -> dict[str, Body]:
    """Return all bodies by name.

    Raises:
        SceneError: if two have the same name.
    """
    bodies: dict[str, Body] = {}
    for key, table in tables.bodies.items():
        controller, pace = choose_controller(key, table.controller, Chooser(registry, where))
        for name, fields in copies_of(key, table):
            if name in bodies:
                raise where.error(f"two bodies are called {name!r}", ("bodies", key))
            bodies[name] = Body(**fields, name=name, controller=controller, pace=pace)
    return bodies

"""Friction of bodies and pairs, changed while a simulation runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.config.toml_lines import dotted
from footfall.config.validate import validate
from footfall.interfaces.interaction import LiveTunable
from footfall.scene.models import TERRAIN, BodyFields, Pair

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

Found = tuple[tuple[str, ...], LiveTunable, Callable[[float], Any], Callable[[Any], None]]
HIGH = 2.0
"""Where sliders of coefficients of friction end, [-]."""


def friction_tunables(sim: Simulator, tables: Mapping[str, Any]) -> Iterator[Found]:
    """Yield key, what is shown, the check and what takes a new value, of each coefficient."""
    own = _own(sim)
    for name, table in tables["bodies"].items():
        value = table.get("friction", own.get(name, math.nan))
        if math.isfinite(value):
            yield _of_body(sim, name, table, value)
    for key, table in tables["pairs"].items():
        if "friction" in table:
            yield _of_pair(sim, key, table)


def _of_body(sim: Simulator, name: str, table: Mapping[str, Any], value: float) -> Found:
    path = ("bodies", name, "friction")

    def check(new: float) -> float:
        given = {key: table[key] for key in BodyFields.model_fields if key in table}
        fields = {**given, "friction": new}
        friction = validate(BodyFields, fields, file=None, lines={}, prefix=path[:-1]).friction
        assert friction is not None
        return friction

    def take(friction: float) -> None:
        world = sim.world
        mine = [k for k, point in enumerate(world.contact_names) if _body(point) == name]
        world.candidates.friction[mine] = friction
        if sim.stepper.collisions is not None:
            sim.stepper.collisions.set_friction(dict.fromkeys(_shapes(sim, name), friction))

    return path, _shown(path, name, value), check, take


def _of_pair(sim: Simulator, key: str, table: Mapping[str, Any]) -> Found:
    path, sides = ("pairs", key, "friction"), key.split("/")

    def check(new: float) -> float:
        given = {**table, "friction": new}
        friction = validate(Pair, given, file=None, lines={}, prefix=path[:-1]).friction
        assert friction is not None
        return friction

    def take(friction: float) -> None:
        world = sim.world
        if TERRAIN in sides:
            other = sides[0] if sides[1] == TERRAIN else sides[1]
            mine = [k for k, point in enumerate(world.contact_names) if _body(point) == other]
            world.candidates.pair_friction[mine] = friction
        if sim.stepper.collisions is not None:
            sim.stepper.collisions.set_pair_friction(sides[0], sides[1], friction)

    return path, _shown(path, " and ".join(sides), table["friction"]), check, take


def ground_retuned(sim: Simulator) -> None:
    """Take over coefficients of a ground that has been tuned, also where shapes touch it."""
    terrain = sim.stepper.terrain
    terrain.prepare(sim.world.sample)
    numbers = _shapes(sim, TERRAIN)
    if numbers and sim.stepper.collisions is not None:
        given = [np.nan if s.friction is None else s.friction for s in terrain.solids()]
        sim.stepper.collisions.set_friction(dict(zip(numbers, given, strict=True)))


def _shapes(sim: Simulator, name: str) -> list[int]:
    """Return the numbers of a body's shapes, or of the ground's."""
    collider = sim.world.collider
    return [s.number for s in collider.shapes if _body(s.name) == name] if collider else []


def _own(sim: Simulator) -> dict[str, float]:
    """Return the coefficient of each body whose points and shapes all have the same one."""
    world = sim.world
    values: dict[str, set[float]] = {}
    for point, friction in zip(world.contact_names, world.candidates.friction, strict=True):
        values.setdefault(_body(point), set()).add(float(friction))
    for shape in world.collider.shapes if world.collider is not None else ():
        values.setdefault(_body(shape.name), set()).add(float(shape.friction))
    given = {name: {v for v in found if not np.isnan(v)} for name, found in values.items()}
    return {name: found.pop() for name, found in given.items() if len(found) == 1}


def _shown(path: tuple[str, ...], owner: str, value: float) -> LiveTunable:
    return LiveTunable(dotted(path), float(value), 0.0, HIGH, "-", f"{owner}: friction")


def _body(name: str) -> str:
    return name.split("/")[0]

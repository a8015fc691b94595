"""Numbers of a scene that seem to be in other units, or to have the wrong sign."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from math import pi
from typing import Any, cast

import numpy as np

from footfall import Scene
from footfall.api.plugin import RobotWarning
from footfall_stepper.api import CollisionShape, StepperSimulator
from footfall_watch.places import body_sizes

LARGE = 50.0
"""Extent of an object from which it is reported, [m]."""
LONG = 0.02
"""Time step from which it is reported, [s]."""
LEVEL = 0.1
"""Part of gravity along z up to which it seems to be along another axis, [-]."""
THIN = 1e-3
"""Density up to which a body is reported, over the cube of its size, [kg/m^3]."""
STRONG = 1000.0
"""Gravity that seems to be in millimetres, [m/s^2]."""
TURN = 2.0 * pi
"""Angle beyond which an orientation, or a joint's position, is reported, [rad or m]."""


def tell_of_units(scene: Scene, sim: StepperSimulator, tell: bool) -> None:
    """Warn of angles beyond a turn, objects of many metres, and gravity that is large or up."""
    if not tell:
        return
    several = _angles(scene), _lengths(scene, sim), _densities(scene, sim)
    for found in (*map(list, several), *([line] for line in _world(scene, sim))):
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            warnings.warn(found[0] + more, RobotWarning, stacklevel=3)


def _world(scene: Scene, sim: StepperSimulator) -> Iterator[str]:
    up, most = scene.world.gravity[2], max(scene.world.gravity, key=abs)
    if up > 0.0:
        yield f"world.gravity: {up:g} m/s^2 along z points up: things fall with -{up:g}"
    if abs(up) < LEVEL * abs(most) and "normal" not in scene.world.terrain.config.model_fields_set:
        yield f"world.gravity: {most:g} m/s^2 is along the ground: z points up"
    if abs(most) > STRONG * sim.world.metre:
        yield f"world.gravity: {most:g} m/s^2: if lengths are in millimetres, set units.length"
    if sim.time_step > LONG:
        yield f"simulation.time_step: {sim.time_step:g} s is long: it is in s, usually 0.001"


def _angles(scene: Scene) -> Iterator[str]:
    for name, body in scene.bodies.items():
        angle = max(body.base_orientation or (0.0,), key=abs)
        if abs(angle) > TURN:
            yield f"bodies.{name}.base_orientation: {angle:g} rad: angles are in rad"
        for joint, value in body.joint_positions.items():
            if abs(value) > TURN:
                told = f"{value:g} for {joint!r}: angles are in rad, positions of slides in m"
                yield f"bodies.{name}.joint_positions: {told}"


def _lengths(scene: Scene, sim: StepperSimulator) -> Iterator[str]:
    """Yield objects that are too large; fixed ones only if large in every direction."""
    for name, body in scene.bodies.items():
        sizes = [] if body.shape is None else extents(name, body.shape, sim)
        size, large = max(sizes, default=0.0), LARGE * sim.world.metre
        if size > large and not (body.fixed and min(sizes) <= large):
            yield f"bodies.{name}.shape: {size:.4g} m: lengths are in m"


def _densities(scene: Scene, sim: StepperSimulator) -> Iterator[str]:
    """Yield bodies that are lighter than air: their size is that of their inertia."""
    topology, sizes = sim.world.topology, np.array(body_sizes(sim))
    mass = np.bincount(topology.link_tree, topology.mass, minlength=len(sizes))
    for k in np.flatnonzero((mass > 0.0) & (mass < scene.units.of(THIN, "kg/m^3") * sizes**3)):
        told = f"mass {mass[k]:.3g} over a size of {sizes[k]:.3g} is lighter than air"
        yield f"{sim.world.bodies[k].name}: {told}: check mass [kg], inertia [kg m^2], lengths [m]"


def extents(name: str, shape: Any, sim: StepperSimulator) -> list[float]:
    """Return the extents of an object along its own axes, [m]; empty if unknown.

    Args:
        name: name of the object.
        shape: table of the shape in the scene.
        sim: simulator that holds the vertices of meshes, if bodies touch each other.
    """
    if shape.type == "box":
        return list(shape.size)
    if shape.type == "mesh":
        collider = sim.world.collider
        solids = () if collider is None else cast("Sequence[CollisionShape]", collider.shapes)
        mine = [s.geometry.vertices for s in solids if s.body == name]  # type: ignore[union-attr]
        return [float(length) for length in np.ptp(np.concatenate(mine), axis=0)] if mine else []
    if shape.type == "heightfield":
        return []
    across = 2.0 * shape.radius
    if shape.type == "sphere":
        return [across]
    return [across, shape.length + (across if shape.type == "capsule" else 0.0)]

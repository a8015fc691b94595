"""Keys that other simulators' steps do not support: errors or warnings, key by key."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from footfall.api.plugin import Capability, RobotWarning, SceneError
from footfall_stepper.api import Assembly, CandidateKind

WITH_MOMENTS = ("mujoco",)
"""Simulators with torsional and rolling friction."""
GROUND = ("world", "terrain", "plugin")


def refuse(made: Assembly, name: str) -> None:
    """Reject keys that would be dropped.

    Raises:
        SceneError: for the first such key.
    """
    world, scene = made.world, made.scene
    if world.metre != 1.0 or scene.units.mass != 1.0:
        raise refused(made, name, "takes metres and kilograms only", ("units",))
    for body in world.bodies:
        for title, found in (
            ("does not support closed loops", body.loops),
            ("does not support backlash", body.backlash),
            ("does not support restitution of joint limits", body.limit_restitution.any()),
            ("does not support reflected inertia or friction that couples joints", body.couplings),
            ("does not support friction that a drive sets in each step", body.rubbing),
            ("does not support friction of a motor that moves several joints", body.motor_friction),
        ):
            if found:
                why = f"{title}, and {body.name} has them"
                raise refused(made, name, why, ("bodies", body.name))
    if Capability.MOVING_GROUND in made.physics.terrain.capabilities:
        why = f'does not support a moving ground such as "{scene.world.terrain.plugin}"'
        raise refused(made, name, why, GROUND)
    if world.directed:
        why = "does not support friction by direction"
        raise refused(made, name, why, ("simulator", "plugin"))
    if world.moments and name not in WITH_MOMENTS:
        for path, _ in scene.coefficients():
            if path[-1] in ("torsional_friction", "rolling_friction"):
                why, takers = "does not support moments of friction", ("footfall", *WITH_MOMENTS)
                raise refused(made, name, why, path, takers)


def refused(
    made: Assembly,
    name: str,
    why: str,
    path: tuple[str | int, ...],
    others: tuple[str, ...] = ("footfall",),
) -> SceneError:
    """Return the error of a key that a simulator does not support; it names simulators that do."""
    takers = " or ".join(f'"{each}"' for each in others)
    return made.scene.error(f'simulator "{name}" {why} (simulator.plugin = {takers} does)', *path)


def tell(made: Assembly, name: str, told: Iterator[str]) -> None:
    """Warn of settings that act differently from the scene.

    Args:
        made: assembly of the scene.
        name: name of the simulator.
        told: the simulator's own warnings.
    """
    for what in (*_told(made), *told):
        warnings.warn(f'simulator "{name}": {what}', RobotWarning, stacklevel=2)


def shapes_of(made: Assembly) -> list[Any]:
    """Return the shapes that can touch each other."""
    collider = made.world.collider
    return [] if collider is None else list(collider.shapes)


def rims_of(made: Assembly) -> int:
    """Return the number of rims."""
    return sum(int(kind) == CandidateKind.RIM for kind in made.world.candidates.kind) // 3


def has_heights(made: Assembly) -> bool:
    """Return whether the ground is a height field."""
    return any(type(s.geometry).__name__ == "HeightField" for s in made.physics.terrain.solids())


def _told(made: Assembly) -> Iterator[str]:
    world, scene, shapes = made.world, made.scene, shapes_of(made)
    given = world.candidates.restitution, world.candidates.pair_restitution
    bouncing = any(np.nanmax(e, initial=0.0) > 0.0 for e in given)
    bouncing = bouncing or any(shape.restitution > 0.0 for shape in shapes)
    bouncing = bouncing or made.physics.terrain.greatest_restitution > 0.0
    if bouncing or any(pair.restitution for pair in scene.pairs.values()):
        yield "coefficients of restitution have no effect: it has its own model of rebounds"
    for key in ("margin", "max_points"):
        usual = type(scene.collisions).model_fields[key].default
        if world.collider is not None and getattr(scene.collisions, key) != usual:
            yield f"collisions.{key} has no effect: it has its own collision detection"
    hollow = [s.name for s in shapes if type(s.geometry).__name__ == "TriangleMesh"]
    if hollow:
        yield f"meshes are replaced by their convex hulls ({', '.join(hollow[:3])})"

"""What MuJoCo's step has no place for: refused, or told, key by key."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from footfall import Assembly
from footfall.api.errors import RobotWarning
from footfall.api.plugin import Capability

GROUND = ("world", "terrain", "plugin")


def refuse(made: Assembly) -> None:
    """Refuse what would be dropped.

    Raises:
        SceneError: for the first of it.
    """
    for path, why in _refused(made):
        raise made.scene.error(f'backend "mujoco" {why}', *path)


def tell(made: Assembly) -> None:
    """Warn of what acts in another way than the scene says."""
    for what in _told(made):
        warnings.warn(f'backend "mujoco": {what}', RobotWarning, stacklevel=2)


def _refused(made: Assembly) -> Iterator[tuple[tuple[str | int, ...], str]]:
    world, scene = made.world, made.scene
    for body in world.bodies:
        at = ("bodies", body.name)
        for title, found in (
            ("closes no loops", body.loops),
            ("knows no reflected inertia or friction that couples joints", body.couplings),
            ("knows no friction of a motor that moves several joints", body.motor_friction),
        ):
            if found:
                yield at, f"{title}, and {body.name} has them"
    if Capability.MOVING_GROUND in made.physics.terrain.capabilities:
        yield GROUND, f'stands on still ground, and "{scene.world.terrain.plugin}" moves'
    if world.moments:
        for path, _ in scene.coefficients():
            if path[-1] in ("torsional_friction", "rolling_friction"):
                yield path, "has contacts of three rows here, without moments of friction"


def _told(made: Assembly) -> Iterator[str]:
    world, scene = made.world, made.scene
    given = world.candidates.restitution, world.candidates.pair_restitution
    bouncing = any(np.nanmax(e, initial=0.0) > 0.0 for e in given)
    shapes = world.collider.shapes if world.collider is not None else ()
    bouncing = bouncing or any(shape.restitution > 0.0 for shape in shapes)
    bouncing = bouncing or made.physics.terrain.greatest_restitution > 0.0
    if bouncing or any(pair.restitution for pair in scene.pairs.values()):
        yield "coefficients of restitution are not honoured; how contacts rebound is solref's"
    rims = sum(int(kind) == RIM for kind in world.candidates.kind) // 3
    if rims:
        yield f"{rims} rims are flat cylinders, which touch in up to four points"
    for key in ("margin", "max_points"):
        usual = type(scene.collisions).model_fields[key].default
        if world.collider is not None and getattr(scene.collisions, key) != usual:
            yield f"collisions.{key} has no effect: MuJoCo finds contacts in its own way"
    hollow = [s.name for s in shapes if type(s.geometry).__name__ == "TriangleMesh"]  # type: ignore[attr-defined]
    if hollow:
        yield f"meshes touch as their convex hulls ({', '.join(hollow[:3])})"
    if any(type(s.geometry).__name__ == "HeightField" for s in made.physics.terrain.solids()):
        yield "the heights of the ground end at the border of their grid, and have single precision"


RIM = 2
"""Kind of a candidate that is a point of a rim."""

"""Collision shapes of an MJCF file, read by Pinocchio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import RobotError
from footfall.robot.placed_shape import PlacedShape
from footfall.robot.pose import Pose
from footfall.roles.visualizer import Shape

WORLD = "universe"
"""Pinocchio's name of the frame that does not move."""


def read_shapes(path: Path) -> tuple[PlacedShape, ...]:
    """Return what can touch others of an MJCF's bodies, in the file's order.

    Left out is what the file excludes from contacts, and what belongs to its world (its floor).

    Raises:
        RobotError: if the file cannot be read, or a shape is of a kind that is not known.
    """
    import pinocchio as pin

    try:
        model = pin.buildModelFromMJCF(str(path))
        geometry = pin.buildGeomFromMJCF(model, str(path), pin.GeometryType.COLLISION)
    except (RuntimeError, ValueError) as error:
        raise RobotError(f"{path}: {str(error).splitlines()[0]}") from error
    placed = []
    for item in geometry.geometryObjects:
        frame = model.frames[item.parentFrame]
        if frame.name == WORLD:
            continue
        at = frame.placement.actInv(item.placement)
        origin = Pose(np.array(at.rotation), np.array(at.translation))
        placed.append(PlacedShape(frame.name, origin, _shape(item, f"{path}: geom {item.name}")))
    return tuple(placed)


def _shape(item: Any, where: str) -> Shape:
    import coal

    made = item.geometry
    if isinstance(made, coal.Box):
        x, y, z = (2.0 * float(half) for half in made.halfSide)
        return Shape("box", (x, y, z))
    if isinstance(made, coal.Sphere):
        return Shape("sphere", (float(made.radius),))
    if isinstance(made, coal.Capsule):
        return Shape("capsule", (float(made.radius), 2.0 * float(made.halfLength)))
    if isinstance(made, coal.Cylinder):
        return Shape("cylinder", (float(made.radius), 2.0 * float(made.halfLength)))
    if Path(item.meshPath).is_file():
        x, y, z = (float(scale) for scale in item.meshScale)
        return Shape("mesh", (x, y, z), item.meshPath)
    raise RobotError(f"{where}: no collision geometry for a {type(made).__name__}")

"""Shapes of bodies and of the ground that rays may meet, packed for kernels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.api.device import Mount
from footfall.api.engine import Pose
from footfall.api.plugin import Capability, Floats, Ints, PluginError
from footfall.api.viewer import Ground
from footfall.api.world import HalfSpace
from footfall_sensors.kernels import ray as rays

GROUND = "terrain"
"""Name of the ground among the scene's shapes."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A shape that rays may meet; see ``RayArrays`` for the fields."""

    kind: int
    link: int
    local: Floats
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ball: Floats = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, math.inf]))
    node: Floats = field(default_factory=lambda: np.zeros((0, 6)))
    triangle: Floats = field(default_factory=lambda: np.zeros((0, 9)))
    lines: tuple[int, int] = (0, 0)
    line: Floats = field(default_factory=lambda: np.zeros(0))
    height: Floats = field(default_factory=lambda: np.zeros(0))
    block: Floats = field(default_factory=lambda: np.zeros((0, 2)))


def surroundings(mount: Mount, own_body: bool) -> list[Seen]:
    """Return the shapes that the rays of a sensor may meet.

    If the ground has no solids (it moves or has patches), rays meet its drawn surface.

    Args:
        mount: mount of the sensor.
        own_body: whether rays also meet the body that carries it.

    Raises:
        PluginError: if ``own_body`` is set and the scene has no shapes.
    """
    if own_body and not mount.shapes:
        raise PluginError(
            "own_body: rays need the shapes of collision detection, which this scene does not use: "
            "set collisions.detect = true"
        )
    without = (GROUND,) if own_body else (GROUND, mount.body.name)
    bodies = [
        _seen(shape.geometry, shape.link, shape.pose)
        for shape in mount.shapes
        if shape.name.split("/")[0] not in without
    ]
    return [*bodies, *_ground(mount)]


def _ground(mount: Mount) -> Iterator[Seen]:
    terrain = mount.terrain
    solids = terrain.solids()
    for solid in solids:
        yield _seen(solid.geometry, rays.FIXED, solid.pose)
    if solids:
        return
    moves = Capability.MOVING_GROUND in terrain.capabilities
    link = rays.WITH_GROUND if moves else rays.FIXED
    for part in terrain.grounds():
        if isinstance(part, Ground):
            pose = Pose.facing(part.normal, part.offset * part.normal)
            yield _seen(HalfSpace(), link, pose)
        else:
            yield _surface(part.points[part.triangles], link, Pose.identity(), rays.ShapeKind.MESH)


def _seen(geometry: Any, link: int, pose: Pose) -> Seen:
    local = _frame(pose)
    match type(geometry).__name__:
        case "Sphere":
            r = geometry.radius
            return Seen(rays.ShapeKind.SPHERE, link, local, (r, 0.0, 0.0), _ball(r))
        case "Box":
            x, y, z = (0.5 * length for length in geometry.size)
            return Seen(rays.ShapeKind.BOX, link, local, (x, y, z), _ball(math.hypot(x, y, z)))
        case "Capsule":
            r, half = geometry.radius, 0.5 * geometry.length
            return Seen(rays.ShapeKind.CAPSULE, link, local, (r, half, 0.0), _ball(r + half))
        case "Cylinder":
            r, half = geometry.radius, 0.5 * geometry.length
            return Seen(
                rays.ShapeKind.CYLINDER, link, local, (r, half, 0.0), _ball(math.hypot(r, half))
            )
        case "HalfSpace":
            return Seen(rays.ShapeKind.HALF_SPACE, link, local)
        case "Convex":
            fans = [(f[0], f[k], f[k + 1]) for f in geometry.faces for k in range(1, len(f) - 1)]
            return _surface(geometry.vertices[np.array(fans)], link, pose, rays.ShapeKind.CONVEX)
        case "HeightField":
            return _heights(geometry, link, local)
        case _:
            corners = geometry.vertices[geometry.triangles]
            return _surface(corners, link, pose, rays.ShapeKind.MESH)


def _ball(radius: float) -> Floats:
    """Return a ball about the origin, enlarged by more than rounding errors."""
    return np.array([0.0, 0.0, 0.0, radius * (1.0 + 1e-6)])


def _frame(pose: Pose) -> Floats:
    return np.append(pose.rotation.T.ravel(), pose.translation).astype(float)


def _surface(corners: Floats, link: int, pose: Pose, kind: int) -> Seen:
    """Return triangles, shape (n, 3, 3), with the tree of boxes around them."""
    node, order = box_tree(corners)
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    ball = np.append(0.5 * (low + high), 0.5 * np.linalg.norm(high - low) * (1.0 + 1e-6))
    if kind == rays.ShapeKind.MESH:
        ball[3] = math.inf  # the tree's root box bounds it already
    a, b, c = np.moveaxis(corners[order], 1, 0)
    return Seen(
        kind, link, _frame(pose), ball=ball, node=node, triangle=np.hstack([a, b - a, c - a])
    )


def _heights(field: Any, link: int, local: Floats) -> Seen:
    """Return a height field, with the lowest and highest height of each block of its cells."""
    heights, sides = field.heights, [range(0, len(at) - 1, rays.SIDE) for at in (field.x, field.y)]
    parts = [
        heights[i : i + rays.SIDE + 1, j : j + rays.SIDE + 1] for i in sides[0] for j in sides[1]
    ]
    return Seen(
        rays.ShapeKind.HEIGHTS,
        link,
        local,
        (float(heights.max()), 0.0, 0.0),
        lines=(len(field.x), len(field.y)),
        line=np.concatenate([field.x, field.y]).astype(float),
        height=np.ascontiguousarray(heights, float).ravel(),
        block=np.array([(part.min(), part.max()) for part in parts], float),
    )


def box_tree(corners: Floats) -> tuple[Floats, Ints]:
    """Return a complete binary tree of boxes around triangles, and their order in its leaves.

    The triangles of a box are split into two halves along the direction in which their centres
    spread most. The last leaves are padded with a duplicate triangle.

    Args:
        corners: shape (n, 3, 3), corners of the triangles, [m].

    Returns:
        Boxes (nodes, 6), lower and upper corner, level by level: the children of box i are 2 i + 1
        and 2 i + 2; numbers of the triangles (leaves times ``LEAF``,).
    """
    leaves = 1
    while leaves * rays.LEAF < len(corners):
        leaves *= 2
    order = np.minimum(np.arange(leaves * rays.LEAF), len(corners) - 1)
    middle, groups = corners.mean(axis=1), 1
    while groups < leaves:
        mine = order.reshape(groups, -1)
        axis = np.argmax(np.ptp(middle[mine], axis=1), axis=1)
        along = np.take_along_axis(middle[mine], axis[:, None, None], axis=2)[..., 0]
        order = np.take_along_axis(mine, np.argsort(along, axis=1, kind="stable"), axis=1).ravel()
        groups *= 2
    ends = corners[order].reshape(leaves, -1, 3)
    levels = [np.hstack([ends.min(axis=1), ends.max(axis=1)])]
    while len(levels[0]) > 1:
        pairs = levels[0].reshape(-1, 2, 6)
        levels.insert(0, np.hstack([pairs[:, :, :3].min(axis=1), pairs[:, :, 3:].max(axis=1)]))
    return np.concatenate(levels), order

"""The points and spheres that a link's collision shapes consist of, in the link's frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall.formats.urdf import Collision, Visual
from footfall.geometry.mesh_file import read_triangles
from footfall.interfaces.visualizer import Shape
from footfall.spatial.pose import Pose
from footfall.typing import Floats

ROUND = 32
"""Points that stand for a circle."""


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """A sphere: centre, shape (3,), [m], and radius [m]."""

    center: Floats
    radius: float


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A convex stand-in for one shape, in the frame of its link.

    Attributes:
        link: name of the URDF's link.
        kind: of the shape, e.g. ``mesh``.
        points: shape (n, 3), corners of its convex hull, [m]; none of a ball.
        balls: the ball that it is, or the two ends of a capsule.
    """

    link: str
    kind: str
    points: Floats
    balls: tuple[Ball, ...]

    def lowest(self, pose: Pose) -> float:
        """Return the height of its lowest point [m], with the link at a pose in the world."""
        heights = [float(pose.apply(b.center)[2]) - b.radius for b in self.balls]
        if len(self.points):
            heights.append(float(pose.apply(self.points)[:, 2].min()))
        return min(heights)


def solids(link: str, shapes: Iterable[Collision | Visual]) -> list[Solid]:
    """Return a solid for each shape of a link.

    Raises:
        RobotError: if a mesh cannot be read.
    """
    return [_solid(link, given.shape, given.origin) for given in shapes]


def hull_corners(points: Floats) -> Floats:
    """Return the corners of the convex hull of points (n, 3), or all where they span no volume."""
    try:
        corners: Floats = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return points
    return corners


def _solid(link: str, shape: Shape, origin: Pose) -> Solid:
    none = np.zeros((0, 3))
    match shape.kind:
        case "sphere":
            return Solid(link, "sphere", none, (Ball(origin.translation, shape.size[0]),))
        case "capsule":
            radius, half = shape.size[0], shape.size[1] / 2.0
            ends = (origin.apply(np.array([0.0, 0.0, z])) for z in (-half, half))
            return Solid(link, "capsule", none, tuple(Ball(end, radius) for end in ends))
        case "box":
            signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
            return Solid(link, "box", origin.apply(signs * np.array(shape.size)), ())
        case "cylinder":
            return Solid(link, "cylinder", origin.apply(_cylinder(*shape.size)), ())
    corners = _mesh_corners(str(shape.mesh)) * np.array(shape.size)
    return Solid(link, "mesh", origin.apply(corners), ())


def _cylinder(radius: float, length: float) -> Floats:
    angle = 2.0 * np.pi / ROUND * np.arange(ROUND)
    circle = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * angle])
    up = np.array([0.0, 0.0, length / 2.0])
    return np.concatenate([circle - up, circle + up])


@lru_cache(maxsize=256)
def _mesh_corners(path: str) -> Floats:
    return hull_corners(read_triangles(path).reshape(-1, 3).astype(np.float64))

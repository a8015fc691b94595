"""Shapes that can touch others, and their packed arrays for a detector's kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np

from footfall.errors import RobotError
from footfall.geometry import triangles
from footfall.geometry.shapes import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Geometry,
    HalfSpace,
    HeightField,
    Sphere,
    TriangleMesh,
)
from footfall.spatial.pose import Pose
from footfall.typing import Floats, Ints
from footfall_stepper.collision.height_fields import solid_depth
from footfall_stepper.collision.kernels import arrays
from footfall_stepper.collision.kernels.arrays import ShapeKind
from footfall_stepper.world.collision_arrays import BITS

FIXED = -1
"""The link index of the environment."""


@dataclass(frozen=True, slots=True, eq=False)
class CollisionShape:
    """A shape that can touch others.

    Attributes:
        geometry: the shape, in its own frame.
        pose: of its frame in the link; in the world for the environment.
        link: index among all links of the world, -1 for the environment.
        number: its number in contact keys, unique in the world.
        name: ``body/link/shape``.
        friction: coefficient of this shape, [-]; NaN if not given.
        restitution: coefficient of this shape, [-]; NaN if not given.
        lengths: of torsional and rolling friction of this shape, [m]; NaN if not given.
    """

    geometry: Geometry
    pose: Pose
    link: int
    number: int
    name: str
    friction: float = math.nan
    restitution: float = math.nan
    lengths: tuple[float, float] = (math.nan, math.nan)

    def __post_init__(self) -> None:
        if not 0 <= self.number < 1 << BITS:
            raise RobotError(f"{self.name}: geometry number {self.number} is not in [0, 2^{BITS})")
        if self.link != FIXED and isinstance(self.geometry, HalfSpace):
            raise RobotError(f"{self.name}: a half-space cannot move: attach it to the environment")

    @property
    def body(self) -> str:
        """Name of its body."""
        return self.name.split("/")[0]


_NO_VERTICES = np.zeros((0, 3))
_NO_INDICES = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """The packed arrays of one geometry; see ``Geometries``."""

    kind: int
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    box: tuple[float, ...] = (0.0,) * 6
    vertices: Floats = field(default_factory=lambda: _NO_VERTICES)
    normals: Floats = field(default_factory=lambda: _NO_VERTICES)
    corner_count: Ints = field(default_factory=lambda: _NO_INDICES)
    corners: Ints = field(default_factory=lambda: _NO_INDICES)
    beside: Ints = field(default_factory=lambda: _NO_INDICES)
    flat: Ints = field(default_factory=lambda: _NO_INDICES)
    fan_count: Ints = field(default_factory=lambda: _NO_INDICES)
    fan: Ints = field(default_factory=lambda: _NO_INDICES)


def pack(geometry: Geometry) -> Packed:
    """Return the packed arrays of a geometry."""
    match geometry:
        case Sphere(radius):
            return Packed(ShapeKind.SPHERE, (radius, 0.0, 0.0))
        case Box((x, y, z)):
            half = (0.5 * x, 0.5 * y, 0.5 * z)
            return Packed(ShapeKind.BOX, half, (0.0, 0.0, 0.0, *half))
        case Capsule(radius, length):
            return Packed(ShapeKind.CAPSULE, (radius, 0.5 * length, 0.0))
        case Cylinder(radius, length):
            return Packed(ShapeKind.CYLINDER, (radius, 0.5 * length, 0.0))
        case HalfSpace():
            return Packed(ShapeKind.HALF_SPACE)
        case Convex():
            return _convex(geometry)
        case HeightField():
            mesh = _mesh(geometry.mesh())
            x, y, z, a, b, c = mesh.box
            down = 0.5 * solid_depth(geometry)
            return replace(mesh, box=(x, y, z - down, a, b, c + down))
        case TriangleMesh():
            return _mesh(geometry)


def _bounds(vertices: Floats) -> tuple[float, ...]:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return (*(0.5 * (low + high)).tolist(), *(0.5 * (high - low)).tolist())


def _convex(convex: Convex) -> Packed:
    corners = np.array([v for face in convex.faces for v in face], np.int64)
    return Packed(
        ShapeKind.CONVEX,
        box=_bounds(convex.vertices),
        vertices=convex.vertices,
        normals=convex.normals,
        corner_count=np.array([len(face) for face in convex.faces], np.int64),
        corners=corners,
        beside=np.full(len(corners), -1, np.int64),
        flat=np.zeros(len(corners), np.int64),
        fan_count=np.zeros(len(convex.vertices), np.int64),
    )


def _mesh(mesh: TriangleMesh) -> Packed:
    start, fan = triangles.fans(mesh)
    edge, corner = triangles.level(mesh)
    beside = triangles.opposite(mesh)
    return Packed(
        ShapeKind.MESH,
        (float((beside >= 0).all()), 0.0, 0.0),
        box=_bounds(mesh.vertices),
        vertices=mesh.vertices,
        normals=triangles.normals(mesh),
        corner_count=np.full(len(mesh.triangles), 3, np.int64),
        corners=mesh.triangles.astype(np.int64).ravel(),
        beside=beside,
        flat=arrays.FLAT_EDGE * edge + arrays.FLAT_CORNER * corner,
        fan_count=np.diff(start),
        fan=fan,
    )


def _starts(counts: Sequence[int] | Ints) -> Ints:
    return np.array([0, *accumulate(int(c) for c in counts)], np.int64)


def _frame(shape: CollisionShape) -> Floats:
    return np.append(shape.pose.rotation.T.ravel(), shape.pose.translation)


def geometries(shapes: Sequence[CollisionShape], groups: Ints) -> arrays.Geometries:
    """Return the packed arrays of shapes, which must be sorted by number."""
    packed = [pack(shape.geometry) for shape in shapes]
    n = len(shapes)
    local = np.array([_frame(shape) for shape in shapes]).reshape(n, 12)
    return arrays.Geometries(
        kind=np.array([p.kind for p in packed], np.int64),
        link=np.array([shape.link for shape in shapes], np.int64),
        group=groups,
        number=np.array([shape.number for shape in shapes], np.int64),
        size=np.array([p.size for p in packed], float).reshape(n, 3),
        local=local,
        pose=local.copy(),
        box=np.array([p.box for p in packed], float).reshape(n, 6),
        bounds=np.zeros((n, 6)),
        vertex_start=_starts([len(p.vertices) for p in packed]),
        vertex=np.concatenate([_NO_VERTICES, *(p.vertices for p in packed)]),
        face_start=_starts([len(p.normals) for p in packed]),
        normal=np.concatenate([_NO_VERTICES, *(p.normals for p in packed)]),
        corner_start=_starts(np.concatenate([_NO_INDICES, *(p.corner_count for p in packed)])),
        corner=np.concatenate([_NO_INDICES, *(p.corners for p in packed)]),
        beside=np.concatenate([_NO_INDICES, *(p.beside for p in packed)]),
        flat=np.concatenate([_NO_INDICES, *(p.flat for p in packed)]),
        fan_start=_starts(np.concatenate([_NO_INDICES, *(p.fan_count for p in packed)])),
        fan=np.concatenate([_NO_INDICES, *(p.fan for p in packed)]),
    )

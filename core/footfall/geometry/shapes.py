"""Shapes for contact, and shapes to draw; constructors reject invalid ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.errors import RobotError
from footfall.typing import Floats, Ints


def _require_positive(kind: str, **sizes: float) -> None:
    for name, size in sizes.items():
        if not (math.isfinite(size) and size > 0.0):
            raise RobotError(f"{kind}: {name} must be positive and finite: {size:g} m")


def _require_finite(kind: str, **arrays: Floats) -> None:
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise RobotError(f"{kind}: {name} must be finite")


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball about the origin; ``radius`` in [m]."""

    radius: float

    def __post_init__(self) -> None:
        _require_positive("sphere", radius=self.radius)


@dataclass(frozen=True, slots=True)
class Box:
    """A cuboid about the origin; ``size``: full lengths along x, y and z, [m]."""

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        _require_positive("box", **dict(zip(("x", "y", "z"), self.size, strict=True)))


@dataclass(frozen=True, slots=True)
class Capsule:
    """All points within ``radius`` [m] of a segment of ``length`` [m] along z about the origin."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _require_positive("capsule", radius=self.radius, length=self.length)


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder about the origin, axis z; ``radius`` and full ``length`` in [m]."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _require_positive("cylinder", radius=self.radius, length=self.length)


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """The half-space z <= 0: solid ground. Only fixed objects can have this shape."""


@dataclass(frozen=True, slots=True, eq=False)
class Convex:
    """A convex polyhedron, made by ``footfall.geometry.convex_hull``.

    Attributes:
        vertices: shape (n, 3), [m].
        faces: indices of each face's vertices, counter-clockwise seen from outside.
        normals: shape (faces, 3), unit, outwards.
    """

    vertices: Floats
    faces: tuple[tuple[int, ...], ...]
    normals: Floats

    def __post_init__(self) -> None:
        _require_finite("convex", vertices=self.vertices, normals=self.normals)
        if len(self.vertices) < 4 or len(self.faces) < 4 or len(self.normals) != len(self.faces):
            raise RobotError("convex: needs at least 4 vertices and 4 faces, each with a normal")


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh:
    """A surface of triangles, solid on the side that its normals point away from.

    Degenerate triangles are rejected; ``footfall.geometry.triangles.clean`` removes them.

    Attributes:
        vertices: shape (n, 3), [m].
        triangles: shape (m, 3), indices, counter-clockwise seen from outside.
    """

    vertices: Floats
    triangles: Ints

    def __post_init__(self) -> None:
        _require_finite("triangle mesh", vertices=self.vertices)
        if not len(self.triangles):
            raise RobotError("triangle mesh: has no triangles")
        if self.triangles.min() < 0 or self.triangles.max() >= len(self.vertices):
            raise RobotError("triangle mesh: a triangle names a vertex that does not exist")
        bad = int((self.areas() <= 0.0).sum())
        if bad:
            raise RobotError(f"triangle mesh: {bad} of {len(self.triangles)} triangles degenerate")

    def areas(self) -> Floats:
        """Return twice the area of each triangle, [m^2]."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        result: Floats = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class HeightField:
    """Ground with given heights, solid below: two triangles per cell of the grid.

    Attributes:
        x: shape (n,), ascending, [m].
        y: shape (m,), ascending, [m].
        heights: shape (n, m), ``heights[i, j]`` at ``(x[i], y[j])``, [m].
    """

    x: Floats
    y: Floats
    heights: Floats

    def __post_init__(self) -> None:
        _require_finite("height field", x=self.x, y=self.y, heights=self.heights)
        expected = (len(self.x), len(self.y))
        if min(expected) < 2 or self.heights.shape != expected:
            raise RobotError(
                f"height field: heights are {self.heights.shape}, expected {expected}, "
                "at least 2 by 2"
            )
        if (np.diff(self.x) <= 0.0).any() or (np.diff(self.y) <= 0.0).any():
            raise RobotError("height field: x and y must be ascending")

    def mesh(self) -> TriangleMesh:
        """Return the surface; each cell is cut from its lower left to its upper right corner."""
        n, m = self.heights.shape
        x, y = np.meshgrid(self.x, self.y, indexing="ij")
        corner = np.arange(n * m).reshape(n, m)
        a, b = corner[:-1, :-1].ravel(), corner[1:, :-1].ravel()
        c, d = corner[1:, 1:].ravel(), corner[:-1, 1:].ravel()
        triangles = np.stack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)], 1).reshape(-1, 3)
        return TriangleMesh(
            np.column_stack([x.ravel(), y.ravel(), self.heights.ravel()]), triangles
        )


Geometry = Sphere | Box | Capsule | Cylinder | HalfSpace | Convex | TriangleMesh | HeightField
"""A shape that can touch others."""


Color = tuple[float, float, float, float]
"""Red, green, blue, opacity, each 0 to 1, in sRGB."""


Material = tuple[Color | None, str | None]
"""Colour, and path of a mesh's image, which the colour multiplies; None if not given."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A drawable shape in its own frame.

    Attributes:
        kind: ``box``, ``sphere``, ``cylinder`` or ``capsule`` (axis z), ``mesh``, ``hull`` (the
            convex hull of a mesh), or ``heightfield`` (heights on a grid about the origin).
        size: box: full lengths x, y, z; sphere: radius; cylinder and capsule: radius, length
            (of the straight part), [m]; mesh and hull: scale x, y, z; heightfield: lengths x and y
            and the height of a unit, [m].
        mesh: path of the mesh file (STL, OBJ, DAE, MSH) for ``mesh`` and ``hull``, or of the height
            file (NPY, CSV or PNG) for ``heightfield``.
        thickness: of the sheet that an open mesh is, [m].
    """

    kind: str
    size: tuple[float, ...]
    mesh: str | None = None
    thickness: float = 0.0

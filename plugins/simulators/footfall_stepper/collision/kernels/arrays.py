"""The packed arrays of a detector, read and written by its kernels."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.typing import Floats1, Floats2, Ints1, Ints2

# The digit is the number of dimensions: kernels find the arrays by these annotations.


class ShapeKind(IntEnum):
    """Kinds of shapes in ``Geometries.kind``."""

    SPHERE = 0
    """A sphere."""
    BOX = 1
    """A box."""
    CAPSULE = 2
    """A cylinder with half spheres at both ends, along z."""
    CYLINDER = 3
    """A cylinder along z."""
    CONVEX = 4
    """The convex hull of vertices."""
    MESH = 5
    """Triangles; a height field is a mesh, too."""
    HALF_SPACE = 6
    """All points below a plane."""


FLAT_EDGE = 1 << 40
"""Bit of ``Geometries.flat``: the edge to the next corner is between level triangles."""
FLAT_CORNER = 1 << 41
"""Bit of ``Geometries.flat``: all triangles at this corner are level."""
VERTEX = FLAT_EDGE - 1
"""Bits of the vertex in the name of a polygon's corner."""
CORNERS = 8
"""Number of points that represent the rim of a cylinder's cap."""


class Geometries(NamedTuple):
    """The shapes, by ascending number.

    Attributes:
        kind: shape (n,), a ``ShapeKind``.
        link: shape (n,), global link, -1 for the environment.
        group: shape (n,), shapes of one group never touch; -1: may touch any.
        number: shape (n,), used in contact keys.
        size: shape (n, 3), sphere: radius; box: half lengths; capsule and cylinder: radius and half
            of the (straight) length, [m]; mesh: 1 if closed (solid), otherwise 0.
        local: shape (n, 12), frame in the link: rotation column-major, translation.
        pose: shape (n, 12), the same in the world.
        box: shape (n, 6), centre and half lengths of the bounding box in the shape's frame, [m].
        bounds: shape (n, 6), lower and upper corner of the bounding box in the world, [m].
        vertex_start: shape (n + 1,), first vertex of each convex or mesh.
        vertex: shape (vertices, 3), [m].
        face_start: shape (n + 1,), first face of each convex or mesh.
        normal: shape (faces, 3), outwards.
        corner_start: shape (faces + 1,), first corner of each face.
        corner: shape (corners,), vertex within its shape.
        beside: shape (corners,), for a mesh: the vertex opposite to the edge from this corner to
            the next in the neighbouring triangle, -1 if there is none.
        flat: shape (corners,), for a mesh: ``FLAT_EDGE`` and ``FLAT_CORNER``.
        fan_start: shape (vertices + 1,), first neighbour of each vertex of a mesh.
        fan: neighbours of vertices, within their shape.
    """

    kind: Ints1
    link: Ints1
    group: Ints1
    number: Ints1
    size: Floats2
    local: Floats2
    pose: Floats2
    box: Floats2
    bounds: Floats2
    vertex_start: Ints1
    vertex: Floats2
    face_start: Ints1
    normal: Floats2
    corner_start: Ints1
    corner: Ints1
    beside: Ints1
    flat: Ints1
    fan_start: Ints1
    fan: Ints1


class Broad(NamedTuple):
    """The broad phase.

    Attributes:
        planes: shape (p,), shapes that are half-spaces.
        order: shape (3, m), all others, in the last ascending order along x, y, z. It only saves
            time.
        sorted: shape (m, 6), their bounds in that order.
        excluded: ascending codes ``a n + b`` of pairs that are never tested.
        pair: shape (capacity, 2), pairs whose bounds overlap, ascending.
        unsorted: shape (capacity, 2), scratch.
        bucket: shape (n + 1,), scratch.
    """

    planes: Ints1
    order: Ints2
    sorted: Floats2
    excluded: Ints1
    pair: Ints2
    unsorted: Ints2
    bucket: Ints1


class WorkCount(IntEnum):
    """Places in ``Work.counts``."""

    CONTACTS = 0
    """Contacts."""
    PAIRS = 1
    """Pairs whose bounds overlap."""
    SLOW_PAIRS = 2
    """Pairs left to Coal."""
    POINTS = 3
    """Points of the current pair."""
    NOT_FINITE = 4
    """The first shape whose pose is not finite, or -1."""
    WITHIN_MARGIN = 5
    """Points found within the margin so far."""
    COMPARED_FROM = 6
    """The first point that a new one is compared with."""


class Work(NamedTuple):
    """Settings, counts and scratch.

    Attributes:
        margin: shape (1,), largest gap of a contact, [m].
        metre: shape (1,), length of a metre in the scene's units.
        most: shape (1,), largest number of points of a pair.
        counts: shape (7,), indexed by ``WorkCount``.
        slow: shape (capacity, 2), pairs left to Coal.
        a: shape (corners, 3), support polygon of the first shape: two coordinates in the contact
            plane and the height along the normal, [m]; b: of the second.
        id_a: shape (corners,), vertices of that polygon; id_b: likewise.
        point: shape (points, 7), position, gap, normal of the points of the current pair.
        feature: shape (points,), feature of each point.
        chosen: shape (points,), scratch.
        distance: shape (points,), scratch.
        matrix: shape (8, 3), scratch.
    """

    margin: Floats1
    metre: Floats1
    most: Ints1
    counts: Ints1
    slow: Ints2
    a: Floats2
    b: Floats2
    id_a: Ints1
    id_b: Ints1
    point: Floats2
    feature: Ints1
    chosen: Ints1
    distance: Floats1
    matrix: Floats2


class FoundArrays(NamedTuple):
    """Contacts: rows of equal length; see ``footfall_stepper.collision.detector``."""

    key: Ints1
    geometry_a: Ints1
    geometry_b: Ints1
    link_a: Ints1
    link_b: Ints1
    shape_a: Ints1
    shape_b: Ints1
    position: Floats2
    normal: Floats2
    gap: Floats1

"""Poses and bounding boxes of a detector's shapes in the world, and the table of its arrays."""

from __future__ import annotations

import math

from footfall.jit.compiling import routine
from footfall.jit.tables import opener
from footfall_stepper.collision.kernels.arrays import (
    Broad,
    FoundArrays,
    Geometries,
    ShapeKind,
    Work,
    WorkCount,
)

_KINDS = (Geometries, Broad, Work, FoundArrays)
_FIRST = [sum(len(k.__annotations__) for k in _KINDS[:i]) for i in range(len(_KINDS))]

geometries = opener(Geometries, _FIRST[0])
broad = opener(Broad, _FIRST[1])
work = opener(Work, _FIRST[2])
found = opener(FoundArrays, _FIRST[3])


@routine
def place(table, poses):
    """Write the shapes' poses from the links' (links, 12), and their bounding boxes.

    The boxes are enlarged by half the margin, so that they overlap wherever a contact is possible.
    Stores the first shape whose pose is not finite.
    """
    geo, wrk = geometries(table), work(table)
    wrk.counts[WorkCount.NOT_FINITE] = -1
    for i in range(len(geo.kind)):
        out, link = geo.pose[i], geo.link[i]
        if link >= 0:
            local = geo.local[i]
            for c in range(4):
                x, y, z = local[3 * c], local[3 * c + 1], local[3 * c + 2]
                for k in range(3):
                    value = poses[link, k] * x + poses[link, 3 + k] * y + poses[link, 6 + k] * z
                    out[3 * c + k] = value + poses[link, 9 + k] if c == 3 else value
        total = 0.0
        for k in range(12):
            total += out[k]
        if not math.isfinite(total) and wrk.counts[WorkCount.NOT_FINITE] < 0:
            wrk.counts[WorkCount.NOT_FINITE] = i
        if geo.kind[i] != ShapeKind.HALF_SPACE:
            bound(geo, i, 0.5 * wrk.margin[0])


@routine
def bound(geo, i, more):
    """Write the bounding box of a shape."""
    pose, size, box, out = geo.pose[i], geo.size[i], geo.box[i], geo.bounds[i]
    kind = geo.kind[i]
    for k in range(3):
        centre, along = pose[9 + k], pose[6 + k]
        if kind == ShapeKind.SPHERE:
            half = size[0]
        elif kind == ShapeKind.CAPSULE:
            half = size[0] + size[1] * abs(along)
        elif kind == ShapeKind.CYLINDER:
            half = size[0] * math.sqrt(max(0.0, 1.0 - along * along)) + size[1] * abs(along)
        else:
            half = 0.0
            for m in range(3):
                centre += pose[3 * m + k] * box[m]
                half += abs(pose[3 * m + k]) * box[3 + m]
        out[k] = centre - half - more
        out[3 + k] = centre + half + more

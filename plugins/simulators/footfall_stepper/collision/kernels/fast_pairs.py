"""Pairs of shapes so fast that one could pass through the other within a step."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.jit.tables import opener
from footfall.spatial.rotation import velocity_at
from footfall.typing import Floats1, Floats2, Ints2
from footfall_stepper.collision.kernels.arrays import ShapeKind
from footfall_stepper.collision.kernels.place import broad, geometries
from footfall_stepper.collision.kernels.sweep import may_touch


class Travel(NamedTuple):
    """Sizes of shapes, and how far they may move.

    Attributes:
        half: shape (n,), half of each shape's smallest extent, [m].
        spin: shape (n,), largest distance of its points from the centre of its bounding box by
            which a rotation moves them, 0 for a sphere, [m].
        moved: shape (n, 5), displacement of that centre at constant velocity; the largest distance
            of a point from there that rotation and acceleration add; the sum of both lengths, [m].
        pair: shape (room, 2), pairs of shapes that are fast and may meet.
    """

    half: Floats1
    spin: Floats1
    moved: Floats2
    pair: Ints2


travel = opener(Travel, 0)


@inner
def length(x, y, z):
    """Return the length of a vector."""
    return math.sqrt(x * x + y * y + z * z)


@inner
def move(geo, far, twist, free_twist, dt):
    """Write how far each shape may move within dt; return the farthest and the thinnest half."""
    farthest, thinnest = 0.0, math.inf
    for i in range(len(geo.kind)):
        link, box, out = geo.link[i], geo.bounds[i], far.moved[i]
        thinnest = min(thinnest, far.half[i])
        for k in range(5):
            out[k] = 0.0
        if link >= 0:
            x, y, z = 0.5 * (box[0] + box[3]), 0.5 * (box[1] + box[4]), 0.5 * (box[2] + box[5])
            u, v, w = velocity_at(twist, link, x, y, z)
            a, b, c = velocity_at(free_twist, link, x, y, z)
            turn = length(twist[link, 3], twist[link, 4], twist[link, 5])
            straight = length(u, v, w) * dt
            out[0], out[1], out[2] = u * dt, v * dt, w * dt
            out[3] = (length(a - u, b - v, c - w) + turn * (far.spin[i] + 0.5 * straight)) * dt
            out[4] = straight + out[3]
            farthest = max(farthest, out[4])
    return farthest, thinnest


@inner
def may_meet(geo, far, i, j):
    """Return whether two shapes move far enough, and their bounding boxes may overlap."""
    pad = far.moved[i, 3] + far.moved[j, 3]
    meet, square = True, 0.0
    for k in range(3):
        d = far.moved[i, k] - far.moved[j, k]
        low, high = geo.bounds[i, k] + min(d, 0.0) - pad, geo.bounds[i, 3 + k] + max(d, 0.0) + pad
        meet = meet and low <= geo.bounds[j, 3 + k] and high >= geo.bounds[j, k]
        square += d * d
    return meet and math.sqrt(square) + pad > min(far.half[i], far.half[j])


@kernel
def fast_pairs(table, own, twist, free_twist, dt):
    """Write the pairs that may meet within dt and move farther than half of the thinner one.

    Pairs without room are only counted. Half-spaces are infinitely thick.

    Args:
        table: of the detector, whose bounding boxes are those of the present poses.
        own: table of ``Travel``.
        twist: shape (links, 6), velocities of the links (v at the world's origin, w).
        free_twist: the same at the end without contacts.
        dt: time, [s].

    Returns:
        The number of pairs.
    """
    far, geo = travel(own), geometries(table)
    farthest, thinnest = move(geo, far, twist, free_twist, dt)
    if 2.0 * farthest <= thinnest:
        return 0
    excluded, n = broad(table).excluded, 0
    for i in range(len(far.half)):
        reach = far.moved[i, 4]
        if 2.0 * reach <= thinnest:
            continue
        for j in range(len(far.half)):
            # Of two fast shapes, the one with the larger index finds the pair.
            if reach + far.moved[j, 4] <= min(far.half[i], far.half[j]):
                continue
            if j == i or (j > i and 2.0 * far.moved[j, 4] > thinnest):
                continue
            if geo.kind[j] == ShapeKind.HALF_SPACE or not may_meet(geo, far, i, j):
                continue
            if may_touch(geo, excluded, i, j):
                if n < len(far.pair):
                    far.pair[n, 0], far.pair[n, 1] = min(i, j), max(i, j)
                n += 1
    return n

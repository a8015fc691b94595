"""A supporting foot: the wrenches that the ground can exert on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats, SettingError

FLAT = 1e-6
"""Deviation up to which contact points count as in a plane or on a line, [m]."""


@dataclass(frozen=True, slots=True)
class Foothold:
    """Wrenches of the ground as ``span y``, and their cone, ``rows y <= 0``.

    A foot with one point has only a force; one with three or more, not in a line, has a moment too.
    ``y`` is force and moment about the centre of the points, along tangent, tangent, normal.

    Attributes:
        axes: shape (3, 3), tangents and normal as columns: in the foot's frame, or for a foot of
            one point in the world's.
        middle: shape (3,), centre of the contact points in the foot's frame, [m].
        drop: shape (3,), from there to the point of touch: a sphere's radius against the normal,
            [m], along the same axes.
        size: length of ``y``, 3 or 6.
        rows: shape (n, size), rows of the cone.
    """

    axes: Floats
    middle: Floats
    drop: Floats
    size: int
    rows: Floats

    def arm(self, rotation: Floats) -> Floats:
        """Return the point of action of its wrench, from the frame's origin, [m], world axes.

        Args:
            rotation: shape (3, 3), orientation of the foot's frame.
        """
        if self.size == 6:
            return rotation @ (self.middle + self.drop)
        return rotation @ self.middle + self.drop


def foothold(
    points: Floats,
    radii: Floats,
    rotation: Floats,
    normal: Floats,
    friction: float,
    margin: float,
) -> Foothold:
    """Build the foothold of a foot from its contact points.

    The ground pushes at the corners of the polygon of the points, ``margin`` inside its edges. Each
    force is in the four-sided pyramid inside the friction cone. All sums of such forces form a
    cone; its faces are those of its section at a normal force of 1. For a rectangle they are the
    rows of Caron, Pham, Nakamura, "Stability of surface contacts for humanoid robots", ICRA 2015:
    friction, centre of pressure, and a moment about the normal that depends on both.

    Args:
        points: shape (n, 3), in the foot's frame, [m].
        radii: shape (n,), radii of spheres around them, [m].
        rotation: shape (3, 3), orientation of the standing foot's frame.
        normal: shape (3,), normal of the ground, world axes.
        friction: coefficient of friction, [-].
        margin: distance from the edges, [m].

    Raises:
        SettingError: if the points lie in a line, do not lie in a plane, or the margin is too
            large.
    """
    if not len(points):
        raise SettingError("it has no contact points, only rims", "plugin")
    middle = points.mean(0)
    side = friction / np.sqrt(2.0)
    if len(points) == 1:
        rows = np.array([[1, 0, -side], [-1, 0, -side], [0, 1, -side], [0, -1, -side], [0, 0, -1]])
        return Foothold(_frame(normal), middle, -radii[0] * normal, 3, rows)
    spread = points - middle
    _, extent, directions = np.linalg.svd(spread)
    if len(points) == 2 or extent[1] < FLAT:
        reason = "its contact points lie in a line; it needs one point, or at least three"
        raise SettingError(reason, "plugin")
    if (len(extent) > 2 and extent[2] > FLAT) or np.ptp(radii) > FLAT:
        raise SettingError("its contact points do not lie in a plane", "plugin")
    up = directions[2] * np.sign(normal @ rotation @ directions[2])
    axes = _frame(up)
    corners = _inside(spread @ axes[:, :2], margin)
    return Foothold(axes, middle, -radii[0] * up, 6, _faces(corners, side))


def _frame(normal: Floats) -> Floats:
    """Return tangents and normal as columns; for the world's z axis they are the world's axes."""
    x = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x -= (x @ normal) * normal
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])


def _inside(corners: Floats, margin: float) -> Floats:
    """Return the corners (n, 2) of a polygon whose edges are moved inwards, [m]."""
    from scipy.spatial import ConvexHull, HalfspaceIntersection

    edges = _distinct(ConvexHull(corners).equations)
    edges[:, 2] += margin
    if edges[:, 2].max() >= 0.0:
        raise SettingError(f"{margin:g} m is too large for its sole", "edge_margin")
    return np.array(HalfspaceIntersection(edges, np.zeros(2)).intersections)


def _faces(corners: Floats, side: float) -> Floats:
    """Return the rows (n, 6) of the cone of forces at corners.

    Args:
        corners: shape (k, 2), along the tangents, [m].
        side: largest force along a tangent for a normal force of 1, [-].
    """
    from scipy.spatial import ConvexHull

    length = float(np.abs(corners).max())
    section = [
        (fx, fy, y / length, -x / length, (x * fy - y * fx) / length)
        for x, y in corners
        for fx in (-side, side)
        for fy in (-side, side)
    ]
    equations = _distinct(ConvexHull(section).equations)
    rows = equations[:, [0, 1, 5, 2, 3, 4]]
    rows[:, 3:] /= length
    return rows


def _distinct(equations: Floats) -> Floats:
    """Return equations of faces without duplicates (up to rounding)."""
    _, first = np.unique(np.round(equations, 8), axis=0, return_index=True)
    return equations[np.sort(first)]

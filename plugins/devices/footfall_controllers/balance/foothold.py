"""A foot that carries: the wrenches that the ground can exert on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.errors import SettingError
from footfall.api.plugin import Floats

FLAT = 1e-6
"""Deviation of contact points from a plane or a line up to which they are in it, [m]."""


@dataclass(frozen=True, slots=True)
class Foothold:
    """Wrenches of the ground as ``span y``, and the cone that they must be in, ``rows y <= 0``.

    A foot of one point has a force only; one of three or more, not in a line, has a moment too.
    ``y`` is force and moment about the middle of the points, along tangent, tangent, normal.

    Attributes:
        axes: shape (3, 3), tangents and normal as columns: in the foot's frame, or for a foot of
            one point in the world's.
        middle: shape (3,), of the contact points in the foot's frame, [m].
        drop: shape (3,), from there to where it touches: a sphere's radius against the normal, [m],
            along the same axes.
        size: of ``y``, 3 or 6.
        rows: shape (n, size).
    """

    axes: Floats
    middle: Floats
    drop: Floats
    size: int
    rows: Floats

    def arm(self, rotation: Floats) -> Floats:
        """Return where its wrench acts, from the frame's origin, [m], world axes.

        Args:
            rotation: shape (3, 3), of the foot's frame.
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
    """Describe a foot by its contact points.

    The ground pushes at the corners of the polygon of the points, ``margin`` inside its edges, each
    force in the pyramid of four sides inside the cone of friction. All sums of such forces are a
    cone, whose faces are found as those of its section at a normal force of 1. For a rectangle they
    are the rows of Caron, Pham, Nakamura, "Stability of surface contacts for humanoid robots", ICRA
    2015: friction, centre of pressure, and a moment about the normal that depends on both.

    Args:
        points: shape (n, 3), in the foot's frame, [m].
        radii: shape (n,), of spheres around them, [m].
        rotation: shape (3, 3), of the foot's frame as it stands.
        normal: shape (3,), of the ground, world axes.
        friction: coefficient, [-].
        margin: [m].

    Raises:
        SettingError: if the points lie in a line or not in a plane, or the margin leaves nothing.
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
        reason = "its contact points lie in a line; it needs one point, or three and more"
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
        raise SettingError(f"{margin:g} m leave nothing of it", "edge_margin")
    return np.array(HalfspaceIntersection(edges, np.zeros(2)).intersections)


def _faces(corners: Floats, side: float) -> Floats:
    """Return the rows (n, 6) of the cone of what pushes at corners.

    Args:
        corners: shape (k, 2), along the tangents, [m].
        side: greatest force along a tangent of a normal force of 1, [-].
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
    """Return equations of faces without those that say the same but for rounding."""
    _, first = np.unique(np.round(equations, 8), axis=0, return_index=True)
    return equations[np.sort(first)]

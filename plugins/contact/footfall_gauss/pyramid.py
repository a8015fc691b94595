"""The friction pyramid: a regular polygon around the circle of Coulomb's cone."""

from __future__ import annotations

import math

import numpy as np

from footfall.api.plugin import Floats


def directions(sides: int) -> Floats:
    """Return the outward normals d_k of the polygon's sides, shape (sides, 2).

    ``d_k = (cos, sin)(2 pi k / sides)``, so that ``f_t`` with ``d_k . f_t <= mu f_n`` for all k is
    a polygon that circumscribes the circle of radius ``mu f_n``. With 4 sides it is the square
    with sides perpendicular to the tangent axes.
    """
    angles = 2.0 * np.pi * np.arange(sides) / sides
    return np.round(np.column_stack([np.cos(angles), np.sin(angles)]), 15) + 0.0


def excess(sides: int) -> float:
    """Return the relative distance of the polygon's corners from the circle.

    ``1 / cos(pi / sides) - 1``: 0.414 for 4 sides, 0.082 for 8, 0.0048 for 32.
    """
    return 1.0 / math.cos(math.pi / sides) - 1.0


def corners(sides: int) -> Floats:
    """Return the corners v_k of the polygon around the unit circle, shape (sides, 2)."""
    angles = 2.0 * np.pi * (np.arange(sides) + 0.5) / sides
    reach = 1.0 + excess(sides)
    return reach * np.column_stack([np.cos(angles), np.sin(angles)])

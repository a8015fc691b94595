"""Friction by direction: two coefficients and an axis, as in scene and robot files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import Annotated, TypeVar

import numpy as np
from pydantic import BaseModel, Discriminator, Tag

from footfall.config.fields import SCHEMA, Coordinate, NonNegative, UnitVector3
from footfall.typing import Floats


class DirectionalFriction(BaseModel):
    """Friction by direction: an elliptic cone whose axes turn with a body."""

    model_config = SCHEMA

    along: NonNegative
    """Coefficient along the axis, [-]."""
    across: NonNegative
    """Coefficient across the axis, [-]."""
    axis: UnitVector3
    """Axis in the frame of the touching link, foot, feature or shape, [-]. Footfall projects it on
    the tangent plane."""
    angle: Coordinate = 0.0
    """Turn of the projected axis about the normal that points into the body, [rad]."""


class DirectionColumn(IntEnum):
    """First columns of arrays of friction by direction; without it, ``ALONG`` is NaN."""

    ALONG = 0
    """Coefficient along the axis, [-]."""
    ACROSS = 1
    """Coefficient across the axis, [-]."""
    AXIS = 2
    """Three columns: the axis, in the frame of its link, or of the world if it has none."""
    COS = 5
    """Cosine of the angle by which its projection is turned."""
    SIN = 6
    """Sine of this angle."""
    SIDE = 7
    """Side that carries the axis, 0 or 1; for pairs, index of the body that carries it."""
    ROWS = 8
    """Four columns: the problem's two tangential rows in the contact's tangent basis."""


NO_DIRECTION = np.full(DirectionColumn.ROWS + 4, math.nan)
"""Row of a contact whose friction has no direction."""


Friction = Annotated[
    Annotated[NonNegative, Tag("number")] | Annotated[DirectionalFriction, Tag("table")],
    Discriminator(lambda v: "table" if isinstance(v, dict | DirectionalFriction) else "number"),
]
"""A coefficient of friction, or friction by direction."""


T = TypeVar("T")


def first_given(*values: T | None) -> T | float:
    """Return the first given value, NaN if none is given."""
    return next((value for value in values if value is not None), math.nan)


def largest(friction: float | DirectionalFriction) -> float:
    """Return the coefficient in the direction of the strongest friction, [-]."""
    if isinstance(friction, DirectionalFriction):
        return max(friction.along, friction.across)
    return friction


def direction_row(friction: float | DirectionalFriction, rotation: Floats) -> Floats:
    """Return a row of ``DirectionColumn``, shape (12,), for a frame's rotation in the link."""
    if not isinstance(friction, DirectionalFriction):
        return NO_DIRECTION
    turn = math.cos(friction.angle), math.sin(friction.angle)
    given = friction.along, friction.across, *(rotation @ friction.axis), *turn, 1.0
    return np.array([*given, 0.0, 0.0, 0.0, 0.0])


def direction_rows(rows: Sequence[Floats]) -> Floats:
    """Return rows as one array, shape (n, 12), or (0, 12) if no friction has a direction."""
    found = np.array(rows, float).reshape(-1, len(NO_DIRECTION))
    return found if np.isfinite(found[:, DirectionColumn.ALONG]).any() else found[:0]

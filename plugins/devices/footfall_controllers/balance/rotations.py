"""Rotations as vectors."""

from __future__ import annotations

import math

import numpy as np

from footfall.api.engine import rotation_about
from footfall.api.plugin import Floats


def rotation_vector(R: Floats) -> Floats:
    """Return axis times angle of a rotation (3, 3), [rad]; the axis is arbitrary near pi."""
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = math.sqrt(float(axis @ axis)), 0.5 * (float(np.trace(R)) - 1.0)
    if sine < 1e-9:
        return axis
    return axis * (math.atan2(sine, cosine) / sine)


def rotation_of(vector: Floats) -> Floats:
    """Return the rotation (3, 3) of axis times angle (3,), [rad]."""
    angle = math.sqrt(float(vector @ vector))
    return np.eye(3) if angle < 1e-12 else rotation_about(vector / angle, angle)

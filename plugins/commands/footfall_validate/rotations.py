"""Rotations as unit quaternions x, y, z, w."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats

UPRIGHT: Floats = np.array([0.0, 0.0, 0.0, 1.0])


def rotation_quaternion(vector: npt.ArrayLike) -> Floats:
    """Return the unit quaternion of a rotation vector, (3,), [rad]."""
    v = np.asarray(vector, float)
    angle = np.linalg.norm(v)
    if angle == 0.0:
        return UPRIGHT.copy()
    return np.append(np.sin(angle / 2) * v / angle, np.cos(angle / 2))


def rotation_matrix(quaternion: npt.ArrayLike) -> Floats:
    """Return R of a unit quaternion, (3, 3)."""
    x, y, z, w = np.asarray(quaternion, float).tolist()
    d = w * w - x * x - y * y - z * z
    first = d + 2.0 * x * x, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    second = 2.0 * (x * y + w * z), d + 2.0 * y * y, 2.0 * (y * z - w * x)
    return np.array(
        [first, second, (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), d + 2.0 * z * z)]
    )


def product(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return the quaternion of ``R1 R2``."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def slope_normal(slope: float, azimuth: float) -> Floats:
    """Return the unit normal of a plane that descends by ``slope`` towards ``azimuth``, [rad]."""
    s, c = np.sin(slope), np.cos(slope)
    return np.array([s * np.cos(azimuth), s * np.sin(azimuth), c])


def flat_on(normal: npt.ArrayLike, yaw: float = 0.0) -> Floats:
    """Return the quaternion that turns z to a unit normal, after a turn by ``yaw``, [rad]."""
    n = np.asarray(normal, float)
    axis = np.cross((0.0, 0.0, 1.0), n)
    size = np.linalg.norm(axis)
    tilt = rotation_quaternion(axis / size * np.arctan2(size, n[2])) if size else UPRIGHT
    return product(tilt, rotation_quaternion((0.0, 0.0, yaw)))

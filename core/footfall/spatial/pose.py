"""Rigid placements in double precision, and the roll-pitch-yaw angles of robot files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.typing import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A placement of one frame in another: ``x_outer = rotation x_inner + translation``.

    Attributes:
        rotation: shape (3, 3).
        translation: shape (3,), [m].
    """

    rotation: Floats
    translation: Floats

    @classmethod
    def identity(cls) -> Pose:
        """Return the placement of a frame in itself."""
        return cls(np.eye(3), np.zeros(3))

    @classmethod
    def from_rpy(cls, xyz: Sequence[float], rpy: Sequence[float]) -> Pose:
        """Return the placement with an origin [m] and roll, pitch, yaw [rad] about fixed axes."""
        return cls(rotation_from_rpy(rpy), np.array(xyz, dtype=np.float64))

    @classmethod
    def facing(cls, axis: Floats, origin: Floats) -> Pose:
        """Return a placement at an origin [m] whose z axis is a unit vector; its x is arbitrary."""
        x = np.cross(np.eye(3)[int(np.argmin(np.abs(axis)))], axis)
        x /= np.linalg.norm(x)
        return cls(np.column_stack([x, np.cross(axis, x), axis]), origin)

    @property
    def rpy(self) -> tuple[float, float, float]:
        """Roll, pitch, yaw [rad] of the rotation, about fixed axes."""
        return rpy_from_rotation(self.rotation)

    def is_identity(self) -> bool:
        """Return whether the two frames are exactly the same."""
        return bool((self.rotation == np.eye(3)).all() and not self.translation.any())

    def __matmul__(self, inner: Pose) -> Pose:
        """Return the composed placement: of ``inner``'s inner frame in our outer frame."""
        return Pose(self.rotation @ inner.rotation, self.apply(inner.translation))

    def apply(self, points: Floats) -> Floats:
        """Return points of shape (3,) or (n, 3), [m], inner frame, in the outer frame."""
        return points @ self.rotation.T + self.translation

    def inverse(self) -> Pose:
        """Return the placement of the outer frame in the inner one."""
        return Pose(self.rotation.T.copy(), -self.rotation.T @ self.translation)


def rotation_from_rpy(rpy: Sequence[float]) -> Floats:
    """Return ``R = Rz(yaw) Ry(pitch) Rx(roll)``, shape (3, 3), of angles [rad] (URDF)."""
    sr, sp, sy = (math.sin(angle) for angle in rpy)
    cr, cp, cy = (math.cos(angle) for angle in rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(R: Floats) -> tuple[float, float, float]:
    """Return roll, pitch, yaw [rad]; ``rotation_from_rpy`` of them gives R up to rounding.

    Yaw is removed from R before roll and pitch are computed. So the three reproduce R also at a
    pitch of 90 degrees, where yaw alone is not determined.
    """
    yaw = math.atan2(R[1, 0], R[0, 0])
    s, c = math.sin(yaw), math.cos(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def rotation_about(axis: Floats, angle: float) -> Floats:
    """Return the rotation by ``angle`` [rad] about a unit axis (3,) (Rodrigues' formula)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    result: Floats = np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
    return result

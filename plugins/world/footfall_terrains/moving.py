"""A plane with a prescribed motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from pydantic import Field, field_validator
from scipy.spatial.transform import Rotation

from footfall.api.advanced import plane_patches
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Capability, Floats, Ints, SettingError
from footfall.api.viewer import Ground, GroundSurface
from footfall.api.world import CoefficientsConfig, TerrainSample
from footfall_terrains.kernels.moving import (
    MotionArrays,
    moved_plane,
    place_frame,
    sample_moving,
    sample_over_step,
)
from footfall_terrains.motion import Wave, motion_of
from footfall_terrains.motion_tables import MotionTable, SineMotion, Vector
from footfall_terrains.terrain import PatchedTerrain


class MovingConfig(CoefficientsConfig):
    """A plane ``normal . x = offset`` in a moving frame, which starts at the world's frame."""

    normal: Vector = (0.0, 0.0, 1.0)
    """Direction out of the ground, in the ground's frame, of any length, [-]."""
    offset: float = 0.0
    """Distance of the plane from the frame's origin, along the normal, [m]."""
    pivot: Vector = (0.0, 0.0, 0.0)
    """Centre of rotations, [m], in the ground's frame."""
    motion: Annotated[MotionTable, Field()] = SineMotion(
        kind="sine", frequency=2.0, amplitude=(0.0, 0.0, 0.05)
    )
    """Motion of the ground's frame."""

    @field_validator("normal")
    @classmethod
    def _not_zero(cls, normal: tuple[float, float, float]) -> tuple[float, float, float]:
        if np.linalg.norm(normal) < 1e-9:
            raise ValueError("must not be the zero vector")
        return normal


class Moving(PatchedTerrain):
    """A plane with a given motion.

    A point of the ground moves as ``x = p + c + R (y - c)``. y is the point in the ground's frame,
    p(t) the frame's position, R(t) its rotation, and c the pivot.
    """

    name = "moving"
    Config = MovingConfig
    capabilities = frozenset({Capability.TILTED_TERRAIN, Capability.MOVING_GROUND})

    def __init__(self, config: MovingConfig) -> None:
        self.config = config
        normal = np.array(config.normal, float)
        self._normal = normal / np.linalg.norm(normal)
        self._offset, self._pivot = float(config.offset), np.array(config.pivot, float)
        try:
            self._motion = motion_of(config.motion)
        except SettingError as error:
            raise SettingError(error.reason, "motion", *error.path) from error
        super().__init__(config)

    def prepare(self, sample: TerrainSample) -> None:
        """Fill the normals at the start, and the coefficients outside of patches."""
        pose, _ = self._place(0.0)
        sample.normal[:] = pose[:9].reshape(3, 3).T @ self._normal
        self.coefficients.prepare(sample)

    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite gaps, normals and velocities, and the coefficients if there are patches."""
        pose, twist = self._place(time)
        local = np.empty_like(points)
        moved_plane(
            *(points, self._normal, self._offset, pose, twist),
            *(local, sample.gap, sample.normal, sample.velocity),
        )
        if self.coefficients.patchy:
            self.coefficients.prepare(sample)
            normal = np.broadcast_to(self._normal, points.shape).copy()
            self.coefficients.overlay(local, sample.gap, normal, sample)

    def bound(self, points: Floats, sample: TerrainSample) -> Callable[[float], object]:
        """Bind the kernel, if it can compute the motion and the coefficients do not vary."""
        table = self._table(np.zeros(len(points), np.int64))
        if table is None:
            return super().bound(points, sample)
        out = sample.gap, sample.normal, sample.velocity
        return bind(sample_moving, table, points, *out, like=(0.0,))

    def bound_over_step(
        self, points: Floats, link: Ints, sample: TerrainSample
    ) -> Callable[[float, float], object] | None:
        """Bind the kernel that samples at the start and at mid-step; None if there is none."""
        table = self._table(np.unique(link, return_inverse=True)[1].astype(np.int64))
        out = sample.gap, sample.normal, sample.velocity
        return (
            table if table is None else bind(sample_over_step, table, points, *out, like=(0.0, 0.0))
        )

    def _table(self, link: Ints) -> Any:
        """Return the kernels' table, for points of links numbered from 0; None without kernel."""
        motion, n = self._motion, len(link)
        if self.coefficients.patchy or not isinstance(motion, Wave):
            return None
        return table_of(
            MotionArrays(
                *(motion.rate, motion.amplitude, motion.wave, self._pivot),
                np.array([*self._normal, self._offset]),
                *(np.zeros(6), np.zeros(6), np.zeros(12), np.zeros(6)),
                *(np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n), np.zeros((n, 3))),
                *(link, np.zeros((link.max(initial=0) + 1, 4))),
            )
        )

    def _place(self, time: float) -> tuple[Floats, Floats]:
        """Return the frame's pose (12,), rotation column-major and origin, and its twist (6,)."""
        value, rate = self._motion.at(time)
        pose, twist = np.empty(12), np.empty(6)
        place_frame(value, rate, self._pivot, pose, twist)
        return pose, twist

    def grounds(self) -> tuple[Ground | GroundSurface, ...]:
        """Return the plane and its patches, in the moving frame."""
        patches = plane_patches(self.config.patches, self._normal, self._offset)
        return (Ground(self._normal, self._offset), *patches)

    def pose(self, time: float, out: Floats) -> None:
        """Write the pose of the ground's frame."""
        pose, _ = self._place(time)
        out[:3] = pose[9:]
        out[3:] = Rotation.from_matrix(pose[:9].reshape(3, 3).T).as_quat()

"""The terrain ``plane``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from footfall.api.advanced import plane_patches
from footfall.api.engine import Pose
from footfall.api.kernels import bind
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall.api.viewer import Ground, GroundSurface
from footfall.api.world import (
    Coefficients,
    CoefficientsConfig,
    HalfSpace,
    Terrain,
    TerrainSample,
    TerrainSolid,
)
from footfall_standard.kernels import plane_gap

Vector = Annotated[tuple[float, float, float], Field(strict=False)]


class PlaneConfig(CoefficientsConfig):
    """Settings of the plane ``normal . x = offset``."""

    normal: Vector = (0.0, 0.0, 1.0)
    """Direction out of the ground, world frame, of any length, [-]."""
    offset: float = 0.0
    """Distance of the plane from the world origin along its normal, [m]."""

    @field_validator("normal")
    @classmethod
    def _not_zero(cls, normal: tuple[float, float, float]) -> tuple[float, float, float]:
        if np.linalg.norm(normal) < 1e-9:
            raise ValueError("must not be the zero vector")
        return normal


class Plane(Terrain):
    """A fixed plane of any tilt."""

    name = "plane"
    Config = PlaneConfig
    capabilities = frozenset({Capability.TILTED_TERRAIN})

    def __init__(self, config: PlaneConfig) -> None:
        self.config = config
        normal = np.array(config.normal, float)
        self._normal = normal / np.linalg.norm(normal)
        self._offset = float(config.offset)
        self._coefficients = Coefficients(config)

    def retune(self, config: PluginConfig) -> None:
        """Use other coefficients; ``prepare`` then fills them in."""
        assert isinstance(config, PlaneConfig)
        self.config, self._coefficients = config, Coefficients(config)

    def prepare(self, sample: TerrainSample) -> None:
        """Fill in normals and coefficients, which are the same everywhere except in patches."""
        sample.normal[:] = self._normal
        self._coefficients.prepare(sample)

    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite the gaps, and the coefficients if there are patches."""
        plane_gap(points, self._normal, self._offset, sample.gap, time)
        self._coefficients.sample(points, sample)

    def bound(self, points: Floats, sample: TerrainSample) -> Callable[[float], object]:
        """Bind the kernel if the coefficients do not vary."""
        if self._coefficients.patchy:
            return super().bound(points, sample)
        fixed = points, self._normal, self._offset, sample.gap
        return bind(plane_gap, *fixed, like=(0.0,))

    def grounds(self) -> tuple[Ground | GroundSurface, ...]:
        """Return the plane itself, and its patches."""
        patches = plane_patches(self.config.patches, self._normal, self._offset)
        return (Ground(self._normal, self._offset), *patches)

    def solids(self) -> tuple[TerrainSolid, ...]:
        """Return the half-space below the plane; empty if there are patches."""
        config = self.config
        if config.patches:
            return ()
        pose = Pose.facing(self._normal, self._offset * self._normal)
        return (TerrainSolid(HalfSpace(), pose, config.friction, config.restitution),)

    @property
    def greatest_restitution(self) -> float:
        """The largest coefficient of restitution anywhere, [-]."""
        return self._coefficients.greatest_restitution

"""A plane."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from footfall.plugin import Capability, PluginConfig
from footfall.roles.terrain import Terrain, TerrainSample
from footfall.roles.visualizer import Ground
from footfall_standard.kernels import plane_gap

Floats = npt.NDArray[np.float64]
Vector = Annotated[tuple[float, float, float], Field(strict=False)]


class PlaneConfig(PluginConfig):
    """The points with ``normal . x = offset``."""

    normal: Vector = (0.0, 0.0, 1.0)
    """Direction out of the ground, world frame, of any length, [-]."""
    offset: float = 0.0
    """Distance of the plane from the world origin along its normal, [m]."""
    friction: float | None = Field(default=None, ge=0.0)
    """Coefficient of friction of the ground's side, [-]; left out: the body's alone counts."""
    restitution: float | None = Field(default=None, ge=0.0, le=1.0)
    """Coefficient of restitution of the ground's side, [-]; left out: the body's alone counts."""

    @field_validator("normal")
    @classmethod
    def _not_zero(cls, normal: tuple[float, float, float]) -> tuple[float, float, float]:
        if np.linalg.norm(normal) < 1e-9:
            raise ValueError("must not be the zero vector")
        return normal


class Plane(Terrain):
    """A still plane of any tilt."""

    name = "plane"
    Config = PlaneConfig
    capabilities = frozenset({Capability.TILTED_TERRAIN})

    def __init__(self, config: PlaneConfig) -> None:
        self.config = config
        normal = np.array(config.normal, float)
        self._normal = normal / np.linalg.norm(normal)
        self._offset = float(config.offset)

    def prepare(self, sample: TerrainSample) -> None:
        """Fill normals and coefficients, which are the same everywhere."""
        sample.normal[:] = self._normal
        if self.config.friction is not None:
            sample.friction[:] = self.config.friction
        if self.config.restitution is not None:
            sample.restitution[:] = self.config.restitution

    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite the gaps."""
        plane_gap(points, self._normal, self._offset, sample.gap)

    def grounds(self) -> tuple[Ground, ...]:
        """Return the plane itself."""
        return (Ground(self._normal, float(self.config.offset)),)

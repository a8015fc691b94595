"""The terrain ``new_plugin``: the ground under everything."""

from __future__ import annotations

import numpy as np

from footfall.api.engine import Pose
from footfall.api.plugin import Floats, PluginConfig
from footfall.api.viewer import Ground, GroundSurface
from footfall.api.world import (
    Coefficients,
    CoefficientsConfig,
    HalfSpace,
    Terrain,
    TerrainSample,
    TerrainSolid,
)

UP = np.array([0.0, 0.0, 1.0])


class NewPluginConfig(CoefficientsConfig):
    """Settings: the keys of ``[world.terrain]``; friction, restitution, patches are inherited."""

    height: float = 0.0
    """Height of the ground, along the world's z axis, [m]."""


class NewPlugin(Terrain):
    """The ground: REPLACE THIS EQUATION BY YOURS, ``gap(x, y, z)`` and its gradient, the normal.

    ``gap = z - height``: level ground. Declare ``TILTED_TERRAIN`` if a normal need not be vertical,
    ``CURVED_TERRAIN`` if it varies from place to place, ``MOVING_GROUND`` if the ground moves.
    """

    name = "new_plugin"
    Config = NewPluginConfig

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config
        self._coefficients = Coefficients(config)

    def retune(self, config: PluginConfig) -> None:
        """Take new coefficients; they can be tuned while a simulation runs."""
        assert isinstance(config, NewPluginConfig)
        self.config, self._coefficients = config, Coefficients(config)

    def prepare(self, sample: TerrainSample) -> None:
        """Fill the constant arrays once: normals, shape (n, 3), and coefficients."""
        sample.normal[:] = UP
        self._coefficients.prepare(sample)

    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite the gaps, shape (n,), [m], of points of shape (n, 3), world frame, [m]."""
        sample.gap[:] = points[:, 2] - self.config.height
        self._coefficients.sample(points, sample)

    def grounds(self) -> tuple[Ground | GroundSurface, ...]:
        """Return the surfaces to draw."""
        return (Ground(UP, self.config.height),)

    def solids(self) -> tuple[TerrainSolid, ...]:
        """Return the ground as shapes, for contact with shapes of bodies."""
        if self.config.patches:  # coefficients vary from place to place
            return ()
        pose = Pose(np.eye(3), self.config.height * UP)
        return (TerrainSolid(HalfSpace(), pose, self.config.friction, self.config.restitution),)

    @property
    def greatest_restitution(self) -> float:
        """Largest coefficient of restitution anywhere, [-]."""
        return self._coefficients.greatest_restitution

"""Coefficients outside and inside patches, common to the terrains of this package."""

from __future__ import annotations

from typing import Any

from footfall.api.plugin import PluginConfig
from footfall.api.world import Coefficients, CoefficientsConfig, Terrain, TerrainSample


class PatchedTerrain(Terrain):
    """A ground with the coefficients of its settings, outside and inside patches."""

    config: Any

    def __init__(self, config: CoefficientsConfig) -> None:
        self.coefficients = Coefficients(config)

    def retune(self, config: PluginConfig) -> None:
        """Take new coefficients; ``prepare`` then fills them in."""
        assert isinstance(config, CoefficientsConfig)
        self.config, self.coefficients = config, Coefficients(config)

    def prepare(self, sample: TerrainSample) -> None:
        """Fill the coefficients that hold outside of patches."""
        self.coefficients.prepare(sample)

    @property
    def greatest_restitution(self) -> float:
        """The largest coefficient of restitution anywhere, [-]."""
        return self.coefficients.greatest_restitution

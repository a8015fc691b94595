"""Coefficients everywhere and in patches, which the terrains of this package share."""

from __future__ import annotations

from typing import Any

from footfall.api.plugin import PluginConfig
from footfall.api.terrain import Coefficients, CoefficientsConfig, Terrain, TerrainSample


class PatchedTerrain(Terrain):
    """A ground whose coefficients are those of its settings, outside and inside of patches."""

    config: Any

    def __init__(self, config: CoefficientsConfig) -> None:
        self.coefficients = Coefficients(config)

    def retune(self, config: PluginConfig) -> None:
        """Take other coefficients, which ``prepare`` then fills in."""
        assert isinstance(config, CoefficientsConfig)
        self.config, self.coefficients = config, Coefficients(config)

    def prepare(self, sample: TerrainSample) -> None:
        """Fill the coefficients that hold outside of patches."""
        self.coefficients.prepare(sample)

    @property
    def greatest_restitution(self) -> float:
        """The largest coefficient of restitution anywhere, [-]."""
        return self.coefficients.greatest_restitution

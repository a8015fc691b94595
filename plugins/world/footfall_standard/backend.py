"""No other simulator: Footfall makes the steps, with the scene's engine, law and integrator."""

from __future__ import annotations

from typing import Any

from footfall.api.backend import Backend
from footfall.api.plugin import PluginConfig


class Footfall(Backend):
    """Leaves the steps to the scene's own laws."""

    name = "footfall"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def build(self, made: Any) -> None:
        """Translate nothing."""

"""Footfall as its own backend: it makes the steps, with the scene's engine, law and integrator."""

from __future__ import annotations

from typing import Any

from footfall.api.backend import Backend
from footfall.api.plugin import PluginConfig


class Footfall(Backend):
    """Backend in which the scene's own laws make the steps."""

    name = "footfall"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def build(self, made: Any) -> None:
        """Do nothing: no other simulator needs the scene."""

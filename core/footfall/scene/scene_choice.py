"""A plugin that a scene chooses."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.interfaces.plugin import PluginConfig
from footfall.registry.entry import Origin


@dataclass(frozen=True, slots=True)
class Choice:
    """A plugin that a scene chooses, with its settings.

    Attributes:
        role: name of the catalog.
        plugin: name in the catalog.
        config: the plugin's settings.
        solver: the QP solver that it is constructed with, if its class asks for one.
        origin: the distribution that it comes from, None if it was registered in Python.
        requires: import names of the packages that it needs.
        live: whether somebody moves it as the run goes: nothing depends on it beforehand.
    """

    role: str
    plugin: str
    config: PluginConfig
    solver: Choice | None = None
    origin: Origin | None = None
    requires: tuple[str, ...] = ()
    live: bool = False

"""What every plugin carries, and how it is registered."""

from __future__ import annotations

from footfall.interfaces.plugin import Capability, NoConfig, PluginConfig, StatePart, Tunable
from footfall.registry import hookimpl
from footfall.registry.registry import Registry

__all__ = [
    "Capability",
    "NoConfig",
    "PluginConfig",
    "Registry",
    "StatePart",
    "Tunable",
    "hookimpl",
]

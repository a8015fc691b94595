"""The base of every plugin class, its registration, and the array types of signatures."""

from __future__ import annotations

from footfall.interfaces.plugin import (
    INTERFACE_VERSION,
    Capability,
    NoConfig,
    Plugin,
    PluginConfig,
    StatePart,
    Tunable,
)
from footfall.registry import hookimpl
from footfall.registry.registry import Registry
from footfall.typing import Floats, Floats1, Floats2, Ints, Ints1, Ints2

__all__ = [
    "INTERFACE_VERSION",
    "Capability",
    "Floats",
    "Floats1",
    "Floats2",
    "Ints",
    "Ints1",
    "Ints2",
    "NoConfig",
    "Plugin",
    "PluginConfig",
    "Registry",
    "StatePart",
    "Tunable",
    "hookimpl",
]

"""The base of every plugin class, its registration, and the array types of signatures."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from footfall.interfaces.plugin import (
    Capability,
    Plugin,
    PluginConfig,
    StatePart,
    Tunable,
)
from footfall.registry import hookimpl
from footfall.registry.registry import Registry

if TYPE_CHECKING:
    from footfall.typing import Floats, Floats1, Floats2, Ints, Ints1, Ints2

__all__ = [
    "Capability",
    "Floats",
    "Floats1",
    "Floats2",
    "Ints",
    "Ints1",
    "Ints2",
    "Plugin",
    "PluginConfig",
    "Registry",
    "StatePart",
    "Tunable",
    "hookimpl",
]


def __getattr__(name: str) -> Any:
    """Import an array type when it is asked for: NumPy would take half the time of ``--help``."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("footfall.typing"), name)

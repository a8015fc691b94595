"""Plugins: their single hook, the typed catalogs, discovery."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from footfall.registry.registry import Registry

PROJECT = "footfall"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Decorator of a package's ``footfall_register(registry)``, which fills the catalogs."""


@hookspec
def footfall_register(registry: Registry) -> None:
    """Add the plugin's loaders to the registry's catalogs, e.g. ``registry.contact.add(...)``."""

"""``footfall scenes``, ``plugins`` and ``schema``: lists of scenes, plugins and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _scenes() -> Callable[..., Any]:
    from footfall_listings.command import scenes

    return scenes


def _plugins() -> Callable[..., Any]:
    from footfall_listings.command import plugins

    return plugins


def _schema() -> Callable[..., Any]:
    from footfall_listings.command import schema

    return schema


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the commands ``scenes``, ``plugins`` and ``schema``."""
    registry.command.add(
        "scenes",
        _scenes,
        summary="List the scenes that come with Footfall; `footfall run NAME` runs one.",
    )
    registry.command.add(
        "plugins",
        _plugins,
        summary="List the installed plugins by role, with capabilities and missing requirements.",
    )
    registry.command.add(
        "schema",
        _schema,
        summary="Print the JSON Schema of scene files with all installed plugins, for editors.",
    )

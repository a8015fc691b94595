"""The command ``render``: pictures and films of recordings, without a display."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _render() -> Callable[..., Any]:
    from footfall_render.command import render

    return render


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``render``."""
    registry.command.add(
        "render", _render, summary="Draw pictures or films of a recording, without a display."
    )

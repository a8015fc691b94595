"""A viewer in web browsers on this machine; it replays recordings and writes pages of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry
    from footfall.api.visualizer import Visualizer


def _meshcat() -> type[Visualizer]:
    from footfall_meshcat.visualizer import Meshcat

    return Meshcat


def _view() -> Callable[..., Any]:
    from footfall_meshcat.command import view

    return view


def _html() -> Callable[..., Any]:
    from footfall_meshcat.html import export_html

    return export_html


def _motion() -> Callable[..., Any]:
    from footfall_meshcat.motion import motion_of

    return motion_of


def _show() -> Callable[..., Any]:
    from footfall_meshcat.notebook import show

    return show


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the visualizer, the command ``view`` and the exporter ``html``."""
    registry.visualizer.add(
        "meshcat",
        _meshcat,
        summary="live pages in a web browser, by default on this machine only",
        requires=("meshcat", "tornado"),
    )
    registry.command.add(
        "view",
        _view,
        summary=(
            "Replay a recording in the browser, or write it as one page that opens from disk."
        ),
    )
    registry.function.add(
        "recorded_motion", _motion, summary="shapes of a recorded scene, and their poses over time"
    )
    registry.function.add(
        "show", _show, summary="a simulator's page, or a run's player, in a notebook cell"
    )
    registry.exporter.add(
        "html", _html, summary="one page that plays the recording", requires=("meshcat",)
    )

"""Shows a scene in web browsers on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall.api.visualizer import Visualizer


def _meshcat() -> type[Visualizer]:
    from footfall_meshcat.visualizer import Meshcat

    return Meshcat


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the visualizer."""
    registry.visualizer.add(
        "meshcat",
        _meshcat,
        summary="live pages in a web browser, on this machine unless told otherwise",
        requires=("meshcat", "tornado"),
    )

"""A viewer in web browsers on this machine; it replays recordings and writes pages of them."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the visualizer, commands, functions for Python and the exporter ``html``."""
    registry.visualizer.add(
        "meshcat",
        "footfall_meshcat.visualizer:Meshcat",
        summary="live pages in a web browser, by default on this machine only",
        requires=("meshcat", "tornado"),
    )
    registry.command.add(
        "view",
        "footfall_meshcat.command:view",
        summary=(
            "Replay a recording in the browser, or write it as one page that opens from disk."
        ),
    )
    registry.function.add(
        "recorded_motion",
        "footfall_meshcat.recorded.motion:motion_of",
        summary="shapes of a recorded scene, and their poses over time",
    )
    registry.function.add(
        "show",
        "footfall_meshcat.notebook:show",
        summary="a simulator's page, or a run's player, in a notebook cell",
    )
    registry.function.add(
        "playground",
        "footfall_meshcat.notebook:playground",
        summary="a page that simulates, in a notebook cell",
    )
    registry.exporter.add(
        "html",
        "footfall_meshcat.recorded.html:export_html",
        summary="one page that plays the recording",
        requires=("meshcat",),
    )
    registry.command.add(
        "playground",
        "footfall_meshcat.playground.command:playground",
        summary="Write a page that simulates a scene in the browser, without a server.",
    )
    registry.command.add(
        "render",
        "footfall_meshcat.render.command:render",
        summary="Draw a picture or film of a recording in a hidden browser.",
    )

"""Commands that run, record and export scenes, tell what is installed, and compile ahead."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the commands."""
    registry.command.add(
        "run", "footfall_run.command:run", summary="Simulate a scene and record it."
    )
    registry.command.add(
        "export",
        "footfall_run.command:export",
        summary="Write a recording or scene in another format; `footfall plugins` lists exporters.",
    )
    registry.command.add(
        "resolve",
        "footfall_run.resolve.command:resolve",
        summary="Print every key of a scene, its value and its source.",
    )
    registry.command.add(
        "scenes",
        "footfall_run.listings.command:scenes",
        summary="List the scenes that come with Footfall; `footfall run NAME` runs one.",
    )
    registry.command.add(
        "plugins",
        "footfall_run.listings.command:plugins",
        summary="List the installed plugins by role, with capabilities and missing requirements.",
    )
    registry.command.add(
        "schema",
        "footfall_run.listings.command:schema",
        summary="Print the JSON Schema of scene files, for editors.",
    )
    registry.command.add(
        "warm",
        "footfall_run.warm:warm",
        summary="Compile kernels (inner loops) in advance, so that runs start without waiting.",
    )
    registry.command.add(
        "doctor",
        "footfall_run.doctor:doctor",
        summary="Describe the installation on one page, for a bug report.",
    )

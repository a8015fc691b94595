"""``footfall run`` simulates and records a scene; ``footfall export`` converts a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _run() -> Callable[..., Any]:
    from footfall_run.command import run

    return run


def _export() -> Callable[..., Any]:
    from footfall_run.command import export

    return export


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the commands ``run`` and ``export``."""
    registry.command.add("run", _run, summary="Simulate a scene and record it.")
    registry.command.add(
        "export",
        _export,
        summary="Write a recording or scene in another format; `footfall plugins` lists exporters.",
    )

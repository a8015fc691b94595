"""``footfall sweep`` and ``footfall.sweep``: a scene run over a grid of values, on many workers."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command and the function ``sweep``."""
    summary = "Run a scene over a grid of values on many workers."
    registry.command.add("sweep", "footfall_sweep.command:sweep", summary=summary)
    registry.function.add(
        "sweep", "footfall_sweep.sweep:sweep", summary="run a scene over a grid of values"
    )

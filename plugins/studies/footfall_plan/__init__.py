"""``footfall.plan``: motions that make a cost small, by sampling or by Gauss and Newton."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add ``plan``."""
    registry.function.add(
        "plan", "footfall_plan.plan:Plan", summary="controls and gains of least cost"
    )

"""``footfall.plan``: motions that make a cost small, by sampling or by Gauss and Newton."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the function ``plan``."""
    registry.function.add(
        "plan", "footfall_plan.plan:plan", summary="controls and gains of least cost"
    )

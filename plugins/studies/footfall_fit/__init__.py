"""``footfall fit`` and ``footfall.fit``: find parameters of a scene from measured motions."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command and the function ``fit``."""
    summary = "Find parameters of a scene from measured motions, under one law or several."
    registry.command.add("fit", "footfall_fit.command:fit", summary=summary)
    registry.function.add("fit", "footfall_fit.fit:fit", summary=summary)

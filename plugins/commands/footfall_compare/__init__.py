"""``footfall compare``: a scene run in several variations; ``footfall twin``: two models."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the commands and functions ``compare`` and ``twin``."""
    registry.command.add(
        "compare",
        "footfall_compare.command:compare",
        summary="Run a scene in every combination of values and compare the runs.",
    )
    registry.function.add(
        "compare",
        "footfall_compare.compare:compare",
        summary="run a scene in every combination of values",
    )
    summary = "Find the first difference between two simulators, scenes or model files."
    registry.command.add("twin", "footfall_compare.twin.command:twin", summary=summary)
    registry.function.add(
        "twin",
        "footfall_compare.twin.twin:twin",
        summary=summary,
        requires=("mujoco",),
        extra="mujoco",
    )

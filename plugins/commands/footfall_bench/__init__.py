"""The command ``footfall bench``: speed of the simulator, beside MuJoCo in the same run."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``bench``."""
    registry.command.add(
        "bench",
        "footfall_bench.command:bench",
        summary="Measure the simulator's speed and MuJoCo's in the same run (extra: bench).",
    )

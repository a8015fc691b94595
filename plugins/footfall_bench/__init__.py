"""The command ``footfall bench``: speed of the simulator, beside MuJoCo in the same run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _command() -> Callable[..., Any]:
    from footfall_bench.command import bench

    return bench


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``bench``."""
    registry.command.add(
        "bench",
        _command,
        summary="Measure the simulator's speed, beside MuJoCo's in the same run (extra: bench).",
    )

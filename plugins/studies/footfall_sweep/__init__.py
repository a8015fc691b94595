"""``footfall sweep`` and ``footfall.sweep``: a scene run over a grid of values, on many workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _command() -> Callable[..., Any]:
    from footfall_sweep.command import sweep

    return sweep


def _function() -> Callable[..., Any]:
    from footfall_sweep.sweep import sweep

    return sweep


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command and the function ``sweep``."""
    summary = "Run a scene over a grid of values on many workers."
    registry.command.add("sweep", _command, summary=summary)
    registry.function.add("sweep", _function, summary="run a scene over a grid of values")

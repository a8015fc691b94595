"""``footfall compare`` and ``footfall.compare``: run a scene in several variations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _command() -> Callable[..., Any]:
    from footfall_compare.command import compare

    return compare


def _function() -> Callable[..., Any]:
    from footfall_compare.compare import compare

    return compare


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command and the function ``compare``."""
    registry.command.add(
        "compare",
        _command,
        summary="Run a scene in every combination of values and compare the runs.",
    )
    registry.function.add(
        "compare", _function, summary="run a scene in every combination of values"
    )

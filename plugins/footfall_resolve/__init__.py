"""``footfall resolve``: every value of a scene, and its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _resolve() -> Callable[..., Any]:
    from footfall_resolve.command import resolve

    return resolve


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``resolve``."""
    registry.command.add(
        "resolve",
        _resolve,
        summary="Print every key of a scene, its value and its source.",
    )

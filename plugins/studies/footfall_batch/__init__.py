"""``footfall.Batch``: many runs of one world, stepped together in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _batch() -> Callable[..., Any]:
    from footfall_batch.batch import Batch

    return Batch


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the class ``Batch``."""
    registry.function.add("Batch", _batch, summary="many runs of one world, stepped together")

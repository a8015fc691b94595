"""``footfall.Batch``: many runs of one world, stepped together in threads."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the class ``Batch``."""
    registry.function.add(
        "Batch", "footfall_batch.batch:Batch", summary="many runs of one world, stepped together"
    )

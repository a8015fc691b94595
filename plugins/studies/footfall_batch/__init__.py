"""``footfall.Batch``: many runs of one world, stepped together in threads."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the classes ``Batch`` and ``Cost``."""
    registry.function.add(
        "Batch", "footfall_batch.batch:Batch", summary="many runs of one world, stepped together"
    )
    registry.function.add(
        "Cost", "footfall_batch.cost:Cost", summary="weighted norms of quantities along a rollout"
    )

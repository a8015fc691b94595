"""Dynamics engine in compiled kernels: Featherstone's recursions along the world's axes."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``featherstone``."""
    registry.engine.add(
        "featherstone",
        "footfall_featherstone.engine:Featherstone",
        summary="Featherstone's recursions in compiled kernels; needs no library; URDF and MJCF",
    )

"""``footfall import``: make a robot folder of a URDF or an MJCF."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the command ``import``."""

"""``footfall validate``: contact laws and impact models against closed forms and real tosses."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the command ``validate``."""

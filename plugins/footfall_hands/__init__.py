"""Hands in a running simulation: grips, touch, live runs."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the interaction `hands`."""

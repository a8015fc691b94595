"""Featherstone's compliant ground-contact law."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``compliant``."""
    registry.contact.add(
        "compliant",
        "footfall_compliant.contact:Compliant",
        summary="compliant ground, stick and slip by springs and dampers",
    )

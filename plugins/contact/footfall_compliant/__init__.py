"""Featherstone's compliant ground-contact law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_compliant.contact import Compliant


def _compliant() -> type[Compliant]:
    from footfall_compliant.contact import Compliant

    return Compliant


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``compliant``."""
    registry.contact.add(
        "compliant", _compliant, summary="compliant ground, stick and slip by springs and dampers"
    )

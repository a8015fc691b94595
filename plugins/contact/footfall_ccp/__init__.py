"""Contact as a convex cone complementarity problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_ccp.contact import ConeComplementarity


def _ccp() -> type[ConeComplementarity]:
    from footfall_ccp.contact import ConeComplementarity

    return ConeComplementarity


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``ccp``."""
    registry.contact.add(
        "ccp", _ccp, summary="convex cone complementarity: exact cone, lifts what slides"
    )

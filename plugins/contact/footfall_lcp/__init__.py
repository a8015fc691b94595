"""Contact as a linear complementarity problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_lcp.contact import LinearComplementarity


def _lcp() -> type[LinearComplementarity]:
    from footfall_lcp.contact import LinearComplementarity

    return LinearComplementarity


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``lcp``."""
    registry.contact.add(
        "lcp", _lcp, summary="linear complementarity: n-sided friction pyramid, Lemke's pivoting"
    )

"""Maximum dissipation contact by contact, by bisection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_bisection.contact import Bisection


def _bisection() -> type[Bisection]:
    from footfall_bisection.contact import Bisection

    return Bisection


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``bisection``."""
    registry.contact.add(
        "bisection",
        _bisection,
        summary="maximum dissipation contact by contact, by bisection (RaiSim's method)",
    )

"""Springs, dampers and friction that grows with the slip speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_regularized.contact import Regularized


def _regularized() -> type[Regularized]:
    from footfall_regularized.contact import Regularized

    return Regularized


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``regularized``."""
    registry.contact.add(
        "regularized",
        _regularized,
        summary="linear spring-damper with regularised friction: soft, creeps",
    )

"""A contact law of springs and dampers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_template.contact import SpringDamper


def _spring_damper() -> type[SpringDamper]:
    from footfall_template.contact import SpringDamper

    return SpringDamper


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``spring_damper``."""
    registry.contact.add("spring_damper", _spring_damper, summary="springs, dampers, soft friction")

"""A linear complementarity contact law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.registry import hookimpl

if TYPE_CHECKING:
    from footfall.registry.registry import Registry


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer nothing yet."""

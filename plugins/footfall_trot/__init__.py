"""The controller ``trot``: legs step by a clock, and Raibert's rule places the feet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_trot.controller import Trot


def _trot() -> type[Trot]:
    from footfall_trot.controller import Trot

    return Trot


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the controller ``trot``."""
    registry.controller.add("trot", _trot, summary="four legs trot, on the spot or along")

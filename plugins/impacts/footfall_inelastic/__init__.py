"""The frictionless inelastic impact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_inelastic.impact import Inelastic


def _inelastic() -> type[Inelastic]:
    from footfall_inelastic.impact import Inelastic

    return Inelastic


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the impact model ``inelastic``."""
    registry.impact.add(
        "inelastic", _inelastic, summary="touching points come to rest, tangentially too"
    )

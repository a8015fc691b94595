"""The QP solver ProxQP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_proxqp.solver import ProxQP


def _proxqp() -> type[ProxQP]:
    from footfall_proxqp.solver import ProxQP

    return ProxQP


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the QP solver ``proxqp``."""
    registry.solver.add(
        "proxqp",
        _proxqp,
        summary="proximal augmented Lagrangian, dense, warm-started (default)",
        requires=("proxsuite",),
    )

"""The QP solver OSQP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_osqp.solver import OSQP


def _osqp() -> type[OSQP]:
    from footfall_osqp.solver import OSQP

    return OSQP


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the QP solver ``osqp``."""
    registry.solver.add(
        "osqp",
        _osqp,
        summary="operator splitting (ADMM), sparse, warm-started",
        requires=("osqp",),
        extra="osqp",
    )

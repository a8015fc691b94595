"""The QP solvers that the package qpsolvers finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_qpsolvers.solver import QPSolvers


def _qpsolvers() -> type[QPSolvers]:
    from footfall_qpsolvers.solver import QPSolvers

    return QPSolvers


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the QP solver ``qpsolvers``."""
    registry.solver.add(
        "qpsolvers",
        _qpsolvers,
        summary="the package qpsolvers: daqp, piqp, clarabel, ... (key backend)",
        requires=("qpsolvers",),
        extra="qpsolvers",
    )

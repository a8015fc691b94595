"""The QP solver qpOASES."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_qpoases.solver import QPOASES


def _qpoases() -> type[QPOASES]:
    from footfall_qpoases.solver import QPOASES

    return QPOASES


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the QP solver ``qpoases``."""
    registry.solver.add(
        "qpoases",
        _qpoases,
        summary="online active set, through CasADi",
        requires=("casadi",),
    )

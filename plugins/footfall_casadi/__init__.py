"""The QP solvers that come with CasADi."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_casadi.qpoases import QPOASES
    from footfall_casadi.solver import CasadiQP


def _casadi() -> type[CasadiQP]:
    from footfall_casadi.solver import CasadiQP

    return CasadiQP


def _qpoases() -> type[QPOASES]:
    from footfall_casadi.qpoases import QPOASES

    return QPOASES


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the QP solvers ``casadi`` and ``qpoases``."""
    registry.solver.add(
        "casadi",
        _casadi,
        summary="CasADi's QP interface: qpOASES, OSQP, DAQP or PIQP",
        requires=("casadi",),
    )
    registry.solver.add(
        "qpoases",
        _qpoases,
        summary="online active set, through CasADi",
        requires=("casadi",),
    )

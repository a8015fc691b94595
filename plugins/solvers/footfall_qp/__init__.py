"""QP solvers, each on a library that is imported when the solver is chosen."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the QP solvers."""
    registry.solver.add(
        "proxqp",
        "footfall_qp.proxqp:ProxQP",
        summary="proximal augmented Lagrangian, dense, warm-started (default)",
        requires=("proxsuite",),
    )
    registry.solver.add(
        "casadi",
        "footfall_qp.casadi.solver:CasadiQP",
        summary="CasADi's QP interface: qpOASES, OSQP, DAQP or PIQP",
        requires=("casadi",),
    )
    registry.solver.add(
        "qpoases",
        "footfall_qp.casadi.qpoases:QPOASES",
        summary="online active set, through CasADi",
        requires=("casadi",),
    )
    registry.solver.add(
        "osqp",
        "footfall_qp.osqp:OSQP",
        summary="operator splitting (ADMM), sparse, warm-started",
        requires=("osqp",),
        extra="osqp",
    )
    registry.solver.add(
        "quadprog",
        "footfall_qp.quadprog:Quadprog",
        summary="dual active set (Goldfarb and Idnani), with proximal steps",
        requires=("quadprog",),
        extra="quadprog",
    )
    registry.solver.add(
        "qpsolvers",
        "footfall_qp.qpsolvers.solver:QPSolvers",
        summary="the package qpsolvers: daqp, piqp, clarabel, ... (key backend)",
        requires=("qpsolvers",),
        extra="qpsolvers",
    )

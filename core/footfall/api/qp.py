"""The QP-solver role, and what solver plugins share: scaling, polish, verdict."""

from __future__ import annotations

from footfall.interfaces.solver import (
    KKTResiduals,
    QPProblem,
    QPSolution,
    QPSolver,
    QPStatus,
    kkt_residuals,
)
from footfall.qp.backend import TOLERANCE, Answer, solve_with
from footfall.qp.polish import polish
from footfall.qp.portable_proxsuite import load
from footfall.qp.presolve import ScaledQP
from footfall.qp.verdict import judge, refuse

__all__ = [
    "TOLERANCE",
    "Answer",
    "KKTResiduals",
    "QPProblem",
    "QPSolution",
    "QPSolver",
    "QPStatus",
    "ScaledQP",
    "judge",
    "kkt_residuals",
    "load",
    "polish",
    "refuse",
    "solve_with",
]

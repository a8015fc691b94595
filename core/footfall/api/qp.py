"""The QP-solver role, and what solver plugins share: scaling, polish, verdict."""

from __future__ import annotations

from footfall.interfaces.solver import (
    KKTResiduals,
    QPProblem,
    QPSolution,
    QPSolver,
    QPStatus,
)
from footfall.qp.backend import TOLERANCE, Answer, solve_with
from footfall.qp.portable_proxsuite import load_proxqp
from footfall.qp.presolve import ScaledQP
from footfall.qp.verdict import judge

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
    "load_proxqp",
    "solve_with",
]

"""The QP-solver role, and shared parts of solver plugins: scaling, polish, verdict."""

from __future__ import annotations

from footfall.interfaces.solver import (
    KKTResiduals as KKTResiduals,
    QPProblem as QPProblem,
    QPSolution as QPSolution,
    QPSolver as QPSolver,
    QPStatus as QPStatus,
)
from footfall.qp.backend import TOLERANCE as TOLERANCE, Answer as Answer, solve_with as solve_with
from footfall.qp.portable_proxsuite import load_proxqp as load_proxqp
from footfall.qp.presolve import ScaledQP as ScaledQP
from footfall.qp.verdict import judge as judge

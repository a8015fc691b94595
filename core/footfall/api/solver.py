"""QP solvers: the role, and the shared way from a problem to a checked answer."""

from __future__ import annotations

from footfall.interfaces.solver import (
    QPProblem as QPProblem,
    QPSolution as QPSolution,
    QPSolver as QPSolver,
    QPStatus as QPStatus,
)
from footfall.qp.backend import (
    Answer as Answer,
    solve_with as solve_with,
)

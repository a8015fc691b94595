"""What velocity-level laws that work on dense groups of contacts have in common.

A law that can solve one group, given as dense arrays, is made a law of whole steps and impacts by
one call: gaps that close, rebounds, penetration that is removed by split impulses, one collision
group after another, and the report.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.errors import SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.problem.sound import require_finite, sound_delassus
from footfall.problem.target import push_out, write_offset
from footfall.typing import Floats

SolveGroup = Callable[[Floats, Floats, Floats, Floats], tuple[float, float]]
"""Called with W (3 n, 3 n), b (3 n,) [m/s], mu (n,) and r (3 n,), which holds the warm start and
takes the impulses [N s] of ``u = W r + b``; W and b may be overwritten. Returns its iterations and
its residual [m/s]."""


def solve_groupwise(
    problem: ContactProblem, solve_group: SolveGroup, *, law: str, tolerance: float
) -> None:
    """Solve a step or an impact of contacts; overwrite impulse, offset, correction and report.

    Args:
        problem: of contacts alone.
        solve_group: solves one collision group.
        law: name of the law, for errors.
        tolerance: residual beyond which the answer counts as a failed one, [m/s].

    Raises:
        SolverError: if the problem is not finite, W cannot be a Delassus matrix, or an answer is
            not finite.
    """
    require_finite(problem, law)
    report = problem.arrays.report
    report[:] = 0.0
    write_offset(problem)
    target = problem.free_velocity + problem.offset
    report[:2] = _solve(problem, target, problem.impulse, solve_group, law)
    report[2] = float(report[1] > tolerance)
    problem.correction[:] = 0.0
    push = push_out(problem)
    if push is not None:
        _solve(problem, push, problem.correction, solve_group, law)
        report[3] = float(problem.correction.any())


def _solve(
    problem: ContactProblem, b: Floats, r: Floats, solve_group: SolveGroup, law: str
) -> tuple[float, float]:
    """Solve for r, by groups; return iterations and the largest residual, [m/s]."""
    iterations, residual = 0.0, 0.0
    for blocks in problem.groups():
        rows = problem.rows_of(blocks)
        x = r[rows]
        done, error = solve_group(
            sound_delassus(problem, blocks, law), b[rows], problem.mu[blocks], x
        )
        if not np.isfinite(x).all():
            raise SolverError(f"{law}: the impulses grow without bound")
        r[rows] = x
        iterations, residual = iterations + done, max(residual, error)
    return iterations, residual

"""Checks of a solver's answers, and of its status if a problem has none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.api.plugin import Capability
from footfall.api.solver import QPProblem, QPSolution, QPStatus
from footfall.testing.check import Finding, Subject, within, worst
from footfall_check.kit.solver import problems
from footfall_check.kit.solver.calls import bits

TOLERANCE = 1e-8
"""Largest scaled KKT residual of an answer that contact laws accept with default settings."""


def regular(subject: Subject) -> Finding:
    """Check that it solves problems with a positive definite Hessian: small KKT residual."""
    return _all_solved(subject, problems.regular())


def singular(subject: Subject) -> Finding:
    """Check that it solves problems with a singular Hessian, as of feet on four points."""
    return _all_solved(subject, problems.singular())


def equalities(subject: Subject) -> Finding:
    """Check that it satisfies rows with equal bounds, redundant ones too."""
    return _all_solved(subject, problems.equalities())


def unconstrained(subject: Subject) -> Finding:
    """Check that it solves a problem without rows."""
    p = problems.regular()["12 variables, 6 rows"]
    none = np.zeros(0)
    return _solved(subject, "no rows", replace(p, C=np.zeros((0, 12)), l=none, u=none))


def scales(subject: Subject) -> Finding:
    """Check that it solves the same problem in other units: heavy and light robots, impulses."""
    p = problems.singular()["foot 20"]
    return worst(
        _solved(subject, f"H times {h:g}, g times {g:g}", replace(p, H=h * p.H, g=g * p.g))
        for h in (1e-3, 1.0, 1e3)
        for g in (1e-4, 1.0, 1e4)
    )


def infeasible(subject: Subject) -> Finding:
    """Check that it reports contradictory bounds in bounded time, without an exception."""
    return _ends(subject, "contradicting bounds", problems.infeasible(), QPStatus.INFEASIBLE)


def unbounded(subject: Subject) -> Finding:
    """Check that it reports a problem without a minimum."""
    return _ends(subject, "no minimum", problems.unbounded(), QPStatus.UNBOUNDED)


def not_valid(subject: Subject) -> Finding:
    """Check that it reports NaN, infinite entries and crossed bounds as invalid input."""
    p = problems.regular()["3 variables, 8 rows"]
    H, g, C, u = (array.copy() for array in (p.H, p.g, p.C, p.u))
    H[0, 1] = g[1] = C[2, 0] = u[3] = np.nan
    wrong = {
        "NaN in H": replace(p, H=H),
        "NaN in g": replace(p, g=g),
        "NaN in C": replace(p, C=C),
        "NaN in u": replace(p, u=u),
        "infinite g": replace(p, g=np.full(3, np.inf)),
        "crossed bounds": replace(p, l=p.u + 1.0),
    }
    return worst(_ends(subject, name, each, QPStatus.INVALID) for name, each in wrong.items())


def honest(subject: Subject) -> Finding:
    """Check that the reported residuals are those of the answer."""
    return worst(_honest(subject, name, p) for name, p in problems.usual().items())


def _honest(subject: Subject, name: str, problem: QPProblem) -> Finding:
    solution = subject.make().solve(problem, None)
    found = problem.residuals(solution.x, solution.z)
    told = solution.residuals
    error = max(
        abs(getattr(found, field) - getattr(told, field))
        for field in ("stationarity", "feasibility", "complementarity", "scaled")
    )
    return within(f"{name}: error of a residual", error, 1e-12)


def warm_start(subject: Subject) -> Finding:
    """Check that a start from its own answer ends at once, or is ignored without warm starts."""
    return worst(_warm_start(subject, name, p) for name, p in problems.usual().items())


def _warm_start(subject: Subject, name: str, problem: QPProblem) -> Finding:
    cold = subject.make().solve(problem, None)
    warm = subject.make().solve(problem, (cold.x, cold.z))
    if not subject.can(Capability.WARM_START):
        same = bits(warm) == bits(cold) and warm.iterations == cold.iterations
        return Finding(same, f"{name}: same bits and iterations with a warm start")
    finding = _accept(f"{name}, from its own answer", problem, warm)
    if not finding.passed:
        return finding
    return within(
        f"{name}: iterations from its own answer", warm.iterations, max(cold.iterations, 1)
    )


def bad_warm_start(subject: Subject) -> Finding:
    """Check that a warm start that is far off, or NaN, does no harm."""
    return worst(
        _accept(f"{name}, warm start {value:g}", p, _from(subject, p, value))
        for name, p in problems.usual().items()
        for value in (1e3, np.nan)
    )


def _from(subject: Subject, problem: QPProblem, value: float) -> QPSolution:
    start = np.full(len(problem.g), value), np.full(len(problem.l), value)
    solution: QPSolution = subject.make().solve(problem, start)
    return solution


def _all_solved(subject: Subject, named: dict[str, QPProblem]) -> Finding:
    return worst(_solved(subject, name, problem) for name, problem in named.items())


def _solved(subject: Subject, name: str, problem: QPProblem) -> Finding:
    return _accept(name, problem, subject.make().solve(problem, None))


def _accept(name: str, problem: QPProblem, solution: QPSolution) -> Finding:
    if solution.status is not QPStatus.SOLVED:
        return Finding(False, f"{name}: {solution.status.value} {solution.message}")
    found = problem.residuals(solution.x, solution.z)
    return within(f"{name}: KKT residual, in scale", found.scaled, TOLERANCE)


def _ends(subject: Subject, name: str, problem: QPProblem, expected: QPStatus) -> Finding:
    solution = subject.make().solve(problem, None)
    message = f"{name}: {solution.status.value}, expected {expected.value}"
    return Finding(solution.status is expected, message)

"""QP solvers that are broken, each in one way; the solver that they spoil is sound."""

from dataclasses import replace

import numpy as np

from footfall.interfaces.solver import KKTResiduals, QPStatus
from footfall.qp.verdict import checked_solution
from footfall_qp.proxqp import ProxQP

EXACT = KKTResiduals(0.0, 0.0, 0.0, 0.0)


class Sound(ProxQP):
    """ProxQP as it is."""

    name = "sound"


def solving(solve, **attributes):
    """Return the sound solver with another ``solve(self, problem, warm_start)``."""
    return type("Broken", (Sound,), {"solve": solve, "__doc__": "Broken.", **attributes})


def after(spoil):
    """Return the sound solver with its solution spoiled by ``spoil(problem, solution)``."""
    return solving(lambda self, p, warm: spoil(p, Sound.solve(self, p, warm)))


absurd = solving(Sound.solve, capabilities={"warm start"})
says_it_starts_cold = solving(Sound.solve, capabilities=frozenset())
column = after(lambda p, s: replace(s, x=s.x[:, None]))
always_solved = after(lambda p, s: replace(s, status=QPStatus.SOLVED))
never_invalid = after(
    lambda p, s: replace(s, status=QPStatus.FAILED) if s.status is QPStatus.INVALID else s
)
always_exact = after(lambda p, s: replace(s, residuals=EXACT))


@after
def coarse(problem, solution):
    """Rounded to six digits, and judged by the host."""
    return checked_solution(problem, np.round(solution.x, 6), np.round(solution.z, 6), 1e-9)


@solving
def regularised(self, problem, warm_start):
    """Another Hessian than was asked for, wherever there is none or it is singular."""
    H = problem.H + 1e-3 * np.abs(np.diag(problem.H)).max() * np.eye(len(problem.g))
    solution = Sound.solve(self, replace(problem, H=H), warm_start)
    return checked_solution(problem, solution.x, solution.z, 1e-9)


@solving
def first_row_only(self, problem, warm_start):
    """Of equal rows only one is met."""
    equal = problem.l == problem.u
    l, u = np.where(equal, -np.inf, problem.l), np.where(equal, np.inf, problem.u)  # noqa: E741
    solution = Sound.solve(self, replace(problem, l=l, u=u), warm_start)
    return checked_solution(problem, solution.x, solution.z, 1e-9)


@solving
def needs_rows(self, problem, warm_start):
    problem.C[0]
    return Sound.solve(self, problem, warm_start)


@solving
def absolute(self, problem, warm_start):
    """Content with any answer to a problem of small numbers."""
    if np.abs(problem.g).max() < 1e-3:
        return checked_solution(problem, 0.0 * problem.g, 0.0 * problem.l, 1e-30)
    return Sound.solve(self, problem, warm_start)


@solving
def mutates(self, problem, warm_start):
    solution = Sound.solve(self, problem, warm_start)
    problem.g[:] *= 2.0
    return solution


@solving
def random(self, problem, warm_start):
    solution = Sound.solve(self, problem, warm_start)
    return replace(solution, x=solution.x * (1.0 + 1e-13 * np.random.default_rng().normal()))


@solving
def hidden_state(self, problem, warm_start):
    """Starts from its last answer, whatever is asked."""
    kept = getattr(self, "kept", None)
    fits = kept is not None and [len(a) for a in kept] == [len(problem.g), len(problem.l)]
    solution = Sound.solve(self, problem, kept if fits else warm_start)
    self.kept = solution.x, solution.z
    return solution


@solving
def one_array(self, problem, warm_start):
    """Every answer lies in the same storage."""
    solution = Sound.solve(self, problem, warm_start)
    self.storage = getattr(self, "storage", np.zeros(100))
    x = self.storage[: len(solution.x)]
    x[:] = solution.x
    return replace(solution, x=x)


@solving
def slower_when_warm(self, problem, warm_start):
    solution = Sound.solve(self, problem, warm_start)
    return replace(solution, iterations=solution.iterations + (10 if warm_start else 0))


@solving
def trusts_its_start(self, problem, warm_start):
    if warm_start is not None and not np.isfinite(warm_start[0]).all():
        return checked_solution(problem, *warm_start, 1e-9)
    return Sound.solve(self, problem, warm_start)

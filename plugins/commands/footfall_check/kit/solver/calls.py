"""Checks of a call of a solver: shapes of its answer, no side effects."""

from __future__ import annotations

import numpy as np

from footfall.api.solver import QPProblem, QPSolution, QPStatus
from footfall.testing.check import Finding, Subject, worst
from footfall_check.kit.solver.problems import infeasible, regular, unbounded, usual


def shapes(subject: Subject) -> Finding:
    """Check that x and z are float64 arrays of the problem's shapes, solved or not."""
    problems = {**usual(), "infeasible": infeasible(), "unbounded": unbounded()}
    return worst(_shapes(subject, name, problem) for name, problem in problems.items())


def _shapes(subject: Subject, name: str, problem: QPProblem) -> Finding:
    solution = subject.make().solve(problem, None)
    if not isinstance(solution, QPSolution) or not isinstance(solution.status, QPStatus):
        return Finding(False, f"{name}: returned {solution!r}, not a QPSolution")
    for what, array, n in (("x", solution.x, len(problem.g)), ("z", solution.z, len(problem.l))):
        if array.shape != (n,) or array.dtype != np.float64:
            return Finding(False, f"{name}: {what} is {array.dtype} {array.shape}")
    return Finding(True, name)


def inputs(subject: Subject) -> Finding:
    """Check that problem and warm start are not changed."""
    return worst(_inputs(subject, name, problem) for name, problem in usual().items())


def _inputs(subject: Subject, name: str, problem: QPProblem) -> Finding:
    warm = np.full(len(problem.g), 0.1), np.full(len(problem.l), 0.1)
    given = (problem.H, problem.g, problem.C, problem.l, problem.u, *warm)
    before = [array.tobytes() for array in given]
    subject.make().solve(problem, warm)
    same = before == [array.tobytes() for array in given]
    return Finding(same, f"{name}: H, g, C, l, u and the warm start")


def deterministic(subject: Subject) -> Finding:
    """Check that the same call of fresh objects gives the same bits."""
    return worst(_deterministic(subject, name, problem) for name, problem in usual().items())


def _deterministic(subject: Subject, name: str, problem: QPProblem) -> Finding:
    found = {bits(subject.make().solve(problem, None)) for _ in range(3)}
    return Finding(len(found) == 1, f"{name}: {len(found)} different answers of 3")


def no_hidden_state(subject: Subject) -> Finding:
    """Check that an object gives the same bits after other problems as a fresh one."""
    solver, problems = subject.make(), usual()
    for _ in range(2):
        for name, problem in problems.items():
            if bits(solver.solve(problem, None)) != bits(subject.make().solve(problem, None)):
                return Finding(False, f"{name}: other bits after other calls")
            solver.solve(infeasible(), None)
            solver.solve(unbounded(), None)
    return Finding(True, f"{len(problems)} problems, with unsolvable ones in between")


def answers_kept(subject: Subject) -> Finding:
    """Check that an answer does not change when the solver solves the next problem."""
    solver = subject.make()
    problems = list(regular().values())[:3]
    first = solver.solve(problems[0], None)
    before = bits(first)
    for problem in problems[1:]:
        solver.solve(problem, None)
    return Finding(bits(first) == before, "the first answer, after two other problems")


def bits(solution: QPSolution) -> bytes:
    """Return the bytes of everything in an answer that affects a simulation."""
    return solution.x.tobytes() + solution.z.tobytes() + solution.status.value.encode()

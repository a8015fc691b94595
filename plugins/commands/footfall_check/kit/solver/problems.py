"""The test QPs of the solver checks: contact problems, and problems without a solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.api.plugin import Floats
from footfall.api.solver import QPProblem
from footfall.testing.problems.cases import chain, foot


def pyramids(W: Floats, g: Floats, mu: float = 0.5) -> QPProblem:
    """Return ``min 1/2 f'Wf + g'f`` over friction pyramids, five rows per contact."""
    n = len(g) // 3
    C, u = np.zeros((5 * n, 3 * n)), np.zeros(5 * n)
    for i in range(n):
        C[5 * i : 5 * i + 5, 3 * i : 3 * i + 3] = [
            [1.0, 0.0, -mu],
            [-1.0, 0.0, -mu],
            [0.0, 1.0, -mu],
            [0.0, -1.0, -mu],
            [0.0, 0.0, -1.0],
        ]
    return QPProblem(W, g, C, np.full(5 * n, -np.inf), u)


def regular() -> dict[str, QPProblem]:
    """Return problems with a positive definite Hessian, by name."""
    cases = [chain(seed) for seed in range(4)]
    found = {case.name: pyramids(case.delassus, case.J @ case.v_free) for case in cases}
    rng = np.random.default_rng(7)
    for n, m in ((3, 8), (12, 6), (20, 40)):
        A, x = rng.normal(size=(n, n)), rng.normal(size=n)
        C, room = rng.normal(size=(m, n)), rng.uniform(0.0, 1.0, (2, m))
        H, g = A @ A.T + 0.1 * np.eye(n), rng.normal(size=n)
        found[f"{n} variables, {m} rows"] = QPProblem(H, g, C, C @ x - room[0], C @ x + room[1])
    return found


def singular() -> dict[str, QPProblem]:
    """Return problems of feet on four coplanar points: the Hessian has rank 6 of 12."""
    cases = [foot(seed) for seed in range(20, 24)]
    found = {case.name: pyramids(case.delassus, case.J @ case.v_free) for case in cases}
    zero = QPProblem(np.zeros((2, 2)), np.array([1.0, -2.0]), np.eye(2), -np.ones(2), np.ones(2))
    return {**found, "zero Hessian": zero}


def equalities() -> dict[str, QPProblem]:
    """Return problems with equal bounds, one of them with a row given twice."""
    rng = np.random.default_rng(8)
    A, C, b = rng.normal(size=(6, 6)), rng.normal(size=(3, 6)), rng.normal(size=3)
    once = QPProblem(A @ A.T + np.eye(6), rng.normal(size=6), C, b, b)
    twice = replace(once, C=np.vstack([C, C[:1]]), l=np.append(b, b[0]), u=np.append(b, b[0]))
    return {"three equalities": once, "one of them twice": twice}


def infeasible() -> QPProblem:
    """Return a problem with contradictory bounds."""
    C = np.array([[1.0, 1.0], [1.0, 1.0]])
    return QPProblem(np.eye(2), np.zeros(2), C, np.array([1.0, -np.inf]), np.array([np.inf, 0.0]))


def unbounded() -> QPProblem:
    """Return a problem without a minimum: linear descent along a direction without curvature."""
    return QPProblem(
        np.diag([1.0, 0.0]), np.array([0.0, -1.0]), np.eye(2), np.zeros(2), np.full(2, np.inf)
    )


def usual() -> dict[str, QPProblem]:
    """Return all problems that have a solution."""
    return {**regular(), **singular(), **equalities()}

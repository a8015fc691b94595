"""QP problems for the solvers' contract, and the solvers: every registered one, every variant."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from tests.cases import missing

from footfall.interfaces.solver import QPProblem, QPSolver
from footfall.registry.discover import discover
from footfall.typing import Floats


def settings_of(cls: type[QPSolver]) -> list[dict[str, Any]]:
    """The settings that choose each backend of a solver; one empty table if it is its own."""
    field = cls.Config.model_fields.get("solver")
    if field is not None:
        return [{"solver": choice} for choice in get_args(field.annotation)]
    return [{"backend": name} for name in getattr(cls, "backends", ())] or [{}]


def _variants() -> list[Any]:
    """One parameter a registered solver and each of its backends, if it has several."""
    params = []
    for entry in discover().solver:
        if reason := missing(entry):
            params.append(pytest.param(None, id=entry.name, marks=pytest.mark.skip(reason=reason)))
            continue
        cls = entry.load()
        for keys in settings_of(cls):
            choice = next(iter(keys.values()), None)
            name = entry.name if choice is None else f"{entry.name}-{choice}"
            params.append(pytest.param((cls, keys), id=name))
    return params


VARIANTS = _variants()


def make_solver(variant: tuple[type[QPSolver], dict[str, Any]]) -> QPSolver:
    """A new solver object with default settings."""
    cls, keys = variant
    return cls(cls.Config(**keys))  # type: ignore[call-arg]


def skew(p: Floats) -> Floats:
    """The matrix of ``p x``."""
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def two_feet(rng: np.random.Generator) -> Floats:
    """Delassus matrix of two rigid feet with four points each: 24 x 24, rank 12."""
    wrench_map = rng.normal(size=(12, 29))
    root = rng.normal(size=(29, 29))
    rows = [
        np.hstack([np.zeros((3, 6 * foot)), np.eye(3), -skew(np.array([x, y, 0.0]))])
        for foot in range(2)
        for x in (-0.06, 0.11)
        for y in (0.04, -0.035)
    ]
    J = np.vstack([np.pad(row, ((0, 0), (0, 12 - row.shape[1]))) for row in rows]) @ wrench_map
    W = J @ (root @ root.T / 29 + 0.1 * np.eye(29)) @ J.T
    return 0.5 * (W + W.T)


def pyramids(n: int, mu: float) -> Floats:
    """Rows of n square friction pyramids, to be at most zero."""
    one = np.array([[1, 0, -mu], [0, 1, -mu], [-1, 0, -mu], [0, -1, -mu], [0, 0, -1]], float)
    return np.kron(np.eye(n), one)


def feet_problem(seed: int) -> QPProblem:
    """A foot's problem: singular Hessian, 24 variables, 40 rows, bounded."""
    rng = np.random.default_rng(seed)
    H = two_feet(rng)
    wrench = H @ (rng.normal(size=24) + np.tile([0.0, 0.0, 2.0], 8))
    m = 40
    C = pyramids(8, rng.choice([0.1, 0.5, 1.0]))
    return QPProblem(H, -wrench, C, np.full(m, -np.inf), np.zeros(m))


def manufactured(seed: int, n: int, m: int, rank: int) -> tuple[QPProblem, Floats, Floats]:
    """A problem whose answer is known: (x, z) is chosen first, then g, l and u to fit.

    A third of the rows is at the upper bound, a third at the lower, the rest inside.
    """
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, rank))
    H, C = root @ root.T / rank, rng.normal(size=(m, n))
    x, z = rng.normal(size=n), np.zeros(m)
    side = np.arange(m) % 3
    z[side == 0] = rng.uniform(0.1, 1.0, (side == 0).sum())
    z[side == 1] = -rng.uniform(0.1, 1.0, (side == 1).sum())
    gap_l = np.where(side == 1, 0.0, rng.uniform(0.1, 1.0, m))
    gap_u = np.where(side == 0, 0.0, rng.uniform(0.1, 1.0, m))
    g = -H @ x - C.T @ z
    return QPProblem(H, g, C, C @ x - gap_l, C @ x + gap_u), x, z


INFEASIBLE = {
    "one row above one and below zero": QPProblem(
        np.eye(2),
        np.ones(2),
        np.array([[1.0, 0.0], [1.0, 0.0]]),
        np.array([1.0, -np.inf]),
        np.array([np.inf, 0.0]),
    ),
    "half planes apart": QPProblem(
        np.eye(3),
        np.ones(3),
        np.array([[1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]]),
        np.full(2, -np.inf),
        np.array([1.0, -2.0]),
    ),
}
UNBOUNDED = {
    "open box": QPProblem(
        np.diag([1.0, 0.0]),
        np.array([0.0, -1.0]),
        np.eye(2),
        np.array([-1.0, 0.0]),
        np.array([1.0, np.inf]),
    ),
    "inside the pyramids": QPProblem(
        np.zeros((24, 24)),
        -np.tile([0.0, 0.0, 1.0], 8),
        pyramids(8, 0.5),
        np.full(40, -np.inf),
        np.zeros(40),
    ),
}

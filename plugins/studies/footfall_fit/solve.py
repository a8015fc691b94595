"""Trust-region least squares, what the data can tell, and how well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats, Ints
from footfall_fit.problem import Point, Problem

UNSEEN = 1e-4
"""Change of residuals (root mean square, in their sizes) over a parameter's scale that is none."""
SLIGHT = 1e-2
"""The same over the residuals themselves: below it, other values of the parameter are tried."""
ALIKE = 1e-4
"""Share of a parameter's effect that others do not have as well, up to which it counts as none."""
SCAN = 7
"""Values of a parameter that are tried where the data do not see it at the start."""
EVALUATIONS = 30
"""Of the residuals of a search, at most."""
CLUSTERS = 4
"""Independent groups for each parameter from which on their scatter gives the intervals."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Parameters that fit some pieces best.

    Attributes:
        point: there, with the residuals of *all* pieces.
        J: shape (N, p), slope there.
        cost: half the sum of (robust) squares over the pieces that count.
        evaluations: of the residuals.
        converged: whether steps or gains had become small.
    """

    point: Point
    J: Floats
    cost: float
    evaluations: int
    converged: bool


def residual_error(r: Floats, loss: str) -> float:
    """Return the root of the mean (robust) square, in sizes of the residuals."""
    if not len(r):
        return float("nan")
    s = r * r
    if loss == "linear":
        rho = s
    elif loss == "soft_l1":
        rho = 2.0 * (np.sqrt(1.0 + s) - 1.0)
    elif loss == "huber":
        rho = np.where(s <= 1.0, s, 2.0 * np.sqrt(s) - 1.0)
    else:
        rho = np.log1p(s)
    return float(np.sqrt(rho.mean()))


@dataclass(frozen=True, slots=True)
class Sight:
    """What the data can tell of the parameters.

    Attributes:
        seen: shape (p,), of each.
        why: of those that are not, by number.
        start: from where the search begins.
        J: shape (N, p), slope there.
        condition: of the slope's columns scaled to one length, of those that are seen.
    """

    seen: Ints
    why: dict[int, str]
    start: Point
    J: Floats
    condition: float


def look(problem: Problem, start: Point) -> Sight:
    """Find out which parameters the data see; where none at the start, other values are tried."""
    J = problem.slope(start)
    why = dict[int, str]()
    for k in range(len(start.z)):
        if _size(J[:, k]) > max(UNSEEN, SLIGHT * _size(start.r)):
            continue
        ways = np.tile(start.z, (SCAN, 1))
        ways[:, k] = problem.parameters[k].spread(SCAN)
        tried = problem.points(ways)
        others = [one for one in tried if _size(one.r - start.r) > UNSEEN]
        if not others:
            why[k] = "the data do not depend on it"
            continue
        here = [] if _blind(J[:, k]) else [start]
        best = min([*here, *others], key=lambda one: float(one.r @ one.r))
        start, J = best, problem.slope(best)
        if _blind(J[:, k]):
            value = problem.parameters[k].value(start.z[k])
            why[k] = f"around {value:.4g} the data do not depend on it"
    seen = np.array([k for k in range(len(start.z)) if k not in why], np.int64)
    seen, condition = _independent(problem, J, seen, why)
    return Sight(seen, why, start, J, condition)


def _size(values: Floats) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(values**2)))


def _blind(column: Floats) -> bool:
    return _size(column) <= UNSEEN


def _independent(
    problem: Problem, J: Floats, seen: Ints, why: dict[int, str]
) -> tuple[Ints, float]:
    """Drop parameters whose effect others have as well; by QR with pivots."""
    from scipy.linalg import qr

    if not len(seen):
        return seen, float("nan")
    unit = J[:, seen] / np.linalg.norm(J[:, seen], axis=0)
    _, R, pivots = qr(unit, mode="economic", pivoting=True)
    size = abs(np.diagonal(R))
    kept = [int(p) for p, d in zip(pivots, size, strict=True) if d > ALIKE]
    for place, d in zip(pivots, size, strict=True):
        if d <= ALIKE:
            near = unit[:, kept].T @ unit[:, place]
            other = problem.parameters[seen[kept[int(np.argmax(abs(near)))]]].key
            why[int(seen[place])] = f"the data see it only together with {other}"
    values = np.linalg.svd(unit[:, sorted(kept)], compute_uv=False)
    return seen[sorted(kept)], float(values[0] / values[-1])


def solve(
    problem: Problem,
    start: Point,
    seen: Ints,
    counts: Any,
    loss: str,
    most: int | None = None,
) -> Solution:
    """Fit the parameters that are seen to the pieces that count; the others stay.

    Args:
        problem: all of it.
        start: from here.
        seen: numbers of the parameters that move.
        counts: shape (N,), True for residuals that count.
        loss: of ``scipy.optimize.least_squares``.
        most: evaluations of the residuals, at most; None: 30. The search ends where values change
            by less than a hundredth of what differences are made by.
    """
    from scipy.optimize import least_squares

    known = {start.z.tobytes(): start}
    evaluations = 0

    def at(x: Floats) -> Point:
        nonlocal evaluations
        z = start.z.copy()
        z[seen] = x
        if z.tobytes() not in known:
            known.clear()
            known[z.tobytes()] = problem.evaluate(z)
            evaluations += 1
        return known[z.tobytes()]

    def residuals(x: Floats) -> Any:
        return at(x).r[counts]

    def slope(x: Floats) -> Any:
        return problem.slope(at(x), seen.tolist())[counts][:, seen]

    low, high = problem.low[seen], problem.high[seen]
    inside = np.clip(start.z[seen], low, high)
    room = np.where(np.isfinite(high - low), high - low, 1.0)
    inside = np.clip(inside, low + 1e-6 * room, high - 1e-6 * room)
    found = least_squares(
        residuals,
        inside,
        jac=slope,
        bounds=(low, high),
        loss=loss,
        max_nfev=most or EVALUATIONS,
        xtol=0.01 * problem.difference,
        ftol=0.01 * problem.difference**2,
        gtol=1e-12,
    )
    point = at(found.x)
    return Solution(
        point,
        problem.slope(point, seen.tolist()),
        float(found.cost),
        evaluations,
        bool(found.status > 0),
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """How well parameters are known, in their coordinates.

    Attributes:
        half: shape (p,), half the width of the 95 % interval; NaN of those that are not seen.
        means: from what.
        condition: of the slope's columns scaled to one length.
    """

    half: Floats
    means: str
    condition: float


def spread_of(solution: Solution, seen: Ints, group: Ints, counts: Any, loss: str) -> Spread:
    """Return 95 % intervals, from the scatter between groups if there are enough.

    Else from that of the residuals, as if they were independent, which those of one motion are not:
    such intervals are too narrow wherever the model is not exact.
    """
    from scipy.stats import t as student

    half = np.full(len(solution.point.z), np.nan)
    J, r = solution.J[counts][:, seen], solution.point.r[counts]
    if loss != "linear":
        weight = _weights(r, loss)
        J, r = J * weight[:, None], r * weight
    n, p = J.shape
    size = np.linalg.norm(J, axis=0)
    if not p or (size <= 0.0).any() or n <= p:
        return Spread(half, "none: the data do not tell", float("inf"))
    values = np.linalg.svd(J / size, compute_uv=False)
    if values[-1] <= 1e-12 * values[0]:
        return Spread(half, "none: the data do not tell", float("inf"))
    bread = np.linalg.inv(J.T @ J)
    groups = np.unique(group[counts])
    if len(groups) >= CLUSTERS * (p + 1):
        score = np.array([J[group[counts] == g].T @ r[group[counts] == g] for g in groups])
        G = len(groups)
        covariance = bread @ (score.T @ score) @ bread * G / (G - p)
        freedom, means = G - p, f"scatter between {G} groups"
    else:
        covariance = bread * (r @ r) / (n - p)
        freedom, means = n - p, "scatter of the residuals, taken as independent"
    half[seen] = student.ppf(0.975, freedom) * np.sqrt(np.diagonal(covariance))
    return Spread(half, means, float(values[0] / values[-1]))


def _weights(r: Floats, loss: str) -> Floats:
    """Return the root of the derivative of the loss by the square."""
    s = r * r
    if loss == "soft_l1":
        rho = 1.0 / np.sqrt(1.0 + s)
    elif loss == "huber":
        rho = np.where(s <= 1.0, 1.0, 1.0 / np.sqrt(np.maximum(s, 1.0)))
    else:
        rho = 1.0 / (1.0 + s)
    found: Floats = np.sqrt(rho)
    return found


def check_counts(problem: Problem) -> None:
    """Refuse more parameters than data.

    Raises:
        SimulationError: says how many there are.
    """
    n, p = len(problem.piece), len(problem.parameters)
    if n < p:
        raise SimulationError(f"{p} parameters, and the data have only {n} numbers")


def fold_groups(names: Sequence[str], folds: int) -> list[Ints]:
    """Return the numbers of pieces that each fold holds out; groups stay together."""
    order = list(dict.fromkeys(names))
    rng = np.random.default_rng(0)
    shuffled = [order[k] for k in rng.permutation(len(order))]
    where = {name: k % folds for k, name in enumerate(shuffled)}
    each = np.array([where[name] for name in names])
    return [np.flatnonzero(each == k) for k in range(folds)]

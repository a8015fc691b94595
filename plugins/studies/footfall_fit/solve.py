"""Trust-region least squares, identifiability of parameters, confidence intervals and folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.api.plugin import Floats, Ints, SimulationError
from footfall_fit.problem import Point, Problem

UNSEEN = 1e-4
"""Root mean square change of residuals over a parameter's scale that counts as none."""
SLIGHT = 1e-2
"""The same relative to the residuals; below it other values of the parameter are tried."""
ALIKE = 1e-4
"""Independent part of a parameter's effect, relative, up to which it counts as none."""
SCAN = 7
"""Number of values tried for a parameter without effect at the start."""
EVALUATIONS = 30
"""Greatest number of residual evaluations of a search."""
CLUSTERS = 4
"""Number of groups per parameter (plus one) from which their scatter gives the intervals."""

LOSSES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "linear": (lambda s: s, np.ones_like),
    "soft_l1": (lambda s: 2.0 * (np.sqrt(1.0 + s) - 1.0), lambda s: 1.0 / np.sqrt(1.0 + s)),
    "huber": (
        lambda s: np.where(s <= 1.0, s, 2.0 * np.sqrt(s) - 1.0),
        lambda s: 1.0 / np.sqrt(np.maximum(s, 1.0)),
    ),
    "cauchy": (np.log1p, lambda s: 1.0 / (1.0 + s)),
}
"""Losses of the squared residual and their derivatives, as of ``scipy.optimize.least_squares``."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of a search over some pieces.

    Attributes:
        point: best point, with the residuals of *all* pieces.
        J: shape (N, p), slope at this point.
        cost: half the sum of (robust) squares over the pieces that count.
        evaluations: number of residual evaluations.
        converged: True if the search converged.
    """

    point: Point
    J: Floats
    cost: float
    evaluations: int
    converged: bool


def residual_error(r: Floats, loss: str) -> float:
    """Return the root of the mean (robust) square, in residual sizes."""
    if not len(r):
        return float("nan")
    return float(np.sqrt(LOSSES[loss][0](r * r).mean()))


@dataclass(frozen=True, slots=True)
class Sight:
    """Identifiability of the parameters by the data.

    Attributes:
        seen: indices of the identifiable parameters.
        why: reasons for the others, by index.
        start: start of the search.
        J: shape (N, p), slope at the start.
        condition: condition number of the slope of the identifiable parameters, with columns
            scaled to unit length.
    """

    seen: Ints
    why: dict[int, str]
    start: Point
    J: Floats
    condition: float


def look(problem: Problem, start: Point) -> Sight:
    """Find the identifiable parameters; try other values of those without effect at the start."""
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
    """Drop parameters whose effect others can produce, by QR with pivots.

    Return the indices of the others and the condition number of their slope.
    """
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
            why[int(seen[place])] = f"the data cannot tell its effect from that of {other}"
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
    """Fit the identifiable parameters to the residuals that count; the others keep their values.

    The search converges when values change by less than a hundredth of the difference step.

    Args:
        problem: the whole problem.
        start: start of the search.
        seen: indices of the parameters to fit.
        counts: shape (N,), True for residuals that count.
        loss: loss of ``scipy.optimize.least_squares``.
        most: greatest number of residual evaluations; None: 30.
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
    """Confidence intervals of parameters, in their coordinates.

    Attributes:
        half: shape (p,), half the width of the 95 % interval; NaN if not identifiable.
        means: method, for reports.
        condition: condition number of the slope with columns scaled to unit length.
    """

    half: Floats
    means: str
    condition: float


def spread_of(
    solution: Solution, seen: Ints, group: Ints, loss: str, moved: Sequence[tuple[Floats, Ints]]
) -> Spread:
    """Return 95 % intervals, from the scatter between groups if there are enough groups.

    Otherwise they come from the scatter of the residuals (White's estimate: independent, each with
    its own variance) and of the measured starts. Residuals of one motion are not independent, so
    these intervals are too narrow if the model is not exact.

    Args:
        solution: the fit to all data.
        seen: indices of the fitted parameters.
        group: shape (N,), group of each residual.
        loss: loss of the fit.
        moved: changes of residuals for a start moved by its noise, and where they are among all.
    """
    from scipy.stats import t as student

    half = np.full(len(solution.point.z), np.nan)
    weight = _weights(solution.point.r, loss)
    J, r = solution.J[:, seen] * weight[:, None], solution.point.r * weight
    n, p = J.shape
    size = np.linalg.norm(J, axis=0)
    if not p or (size <= 0.0).any() or n <= p:
        return Spread(half, "none: the data do not tell", float("inf"))
    values = np.linalg.svd(J / size, compute_uv=False)
    if values[-1] <= 1e-12 * values[0]:
        return Spread(half, "none: the data do not tell", float("inf"))
    bread = np.linalg.inv(J.T @ J)
    groups = np.unique(group)
    if are_clusters(group, p):
        score = np.array([J[group == g].T @ r[group == g] for g in groups])
        G = len(groups)
        covariance = bread @ (score.T @ score) @ bread * G / (G - p)
        freedom, means = G - p, f"scatter between {G} groups"
    else:
        score = J * r[:, None] * np.sqrt(n / (n - p))
        starts = [J[at].T @ (weight[at] * change) for change, at in moved]
        score = np.vstack([score, *starts])
        covariance = bread @ (score.T @ score) @ bread
        freedom, means = n - p, "scatter of the residuals, taken as independent, and of the starts"
    half[seen] = student.ppf(0.975, freedom) * np.sqrt(np.diagonal(covariance))
    return Spread(half, means, float(values[0] / values[-1]))


def are_clusters(group: Ints, parameters: int) -> bool:
    """Return whether there are groups enough for intervals from the scatter between them."""
    return len(np.unique(group)) >= CLUSTERS * (parameters + 1)


def step_error(solution: Solution, seen: Ints, halved: Floats, loss: str) -> Floats:
    """Return the error of the fit by the time step, shape (p,), in coordinates; 0 if not fitted.

    One Gauss-Newton step leads to the fit at half the step; the error is twice the difference
    (Richardson's extrapolation of first order, an upper bound for integrators of higher order).

    Args:
        solution: the fit to all data.
        seen: indices of the fitted parameters.
        halved: shape (N,), residuals of the solution at half the step.
        loss: loss of the fit.
    """
    error, weight = np.zeros(len(solution.point.z)), _weights(solution.point.r, loss)
    J, change = solution.J[:, seen] * weight[:, None], weight * (halved - solution.point.r)
    error[seen] = 2.0 * np.linalg.lstsq(J, change)[0]
    return error


def _weights(r: Floats, loss: str) -> Floats:
    """Return the root of the derivative of the loss by the squared residual."""
    found: Floats = np.sqrt(LOSSES[loss][1](r * r))
    return found


def check_counts(problem: Problem) -> None:
    """Check that there are at least as many data as parameters.

    Raises:
        SimulationError: if there are fewer; names both numbers.
    """
    n, p = len(problem.piece), len(problem.parameters)
    if n < p:
        raise SimulationError(f"{p} parameters, but the data have only {n} numbers")


def fold_groups(names: Sequence[str], folds: int) -> list[Ints]:
    """Return the indices of the pieces that each fold holds out; groups stay together."""
    order = list(dict.fromkeys(names))
    rng = np.random.default_rng(0)
    shuffled = [order[k] for k in rng.permutation(len(order))]
    where = {name: k % folds for k, name in enumerate(shuffled)}
    each = np.array([where[name] for name in names])
    return [np.flatnonzero(each == k) for k in range(folds)]

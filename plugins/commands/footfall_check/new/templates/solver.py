"""The QP solver ``new_plugin``."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.advanced import TOLERANCE
from footfall.api.plugin import Floats, PluginConfig
from footfall.api.solver import Answer, QPProblem, QPSolution, QPSolver, solve_with

MOST = 60
"""Largest number of iterations per call."""
ROUNDING = 1e-13
"""Residuals and gap at the level of rounding: the iteration stops."""
SMALL = 1e-12
"""Regularization on the diagonal of the linear system; duplicate rows would make it singular."""


class NewPluginConfig(PluginConfig):
    """Settings: the keys of the ``solver`` table in a scene."""

    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest scaled KKT residual of an accepted answer, [-]."""


class NewPlugin(QPSolver):
    """The method: REPLACE THIS BY YOURS, and ``interior_point`` by a call of your backend.

    ``min 1/2 x'Hx + g'x`` subject to ``l <= C x <= u``, H positive semidefinite, by a primal-dual
    interior-point method with Mehrotra's predictor and corrector (Nocedal and Wright, Numerical
    Optimization (2006), section 16.6). It ignores earlier answers: no ``WARM_START``.
    """

    name = "new_plugin"
    Config = NewPluginConfig

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem; the host sets the status from the answer's residuals."""
        return solve_with(self._call, problem, self.config.tolerance)

    @staticmethod
    def _call(problem: QPProblem, x: Floats, z: Floats) -> Answer:
        """Solve a scaled, finite problem; NaN if it has no answer."""
        with np.errstate(all="ignore"):  # contradictory bounds overflow
            return interior_point(problem)


def interior_point(problem: QPProblem) -> Answer:
    """Write the rows as ``A x = b`` and ``G x + s = h``, s >= 0; find x, s and multipliers y, w."""
    H, g, C = problem.H, problem.g, problem.C
    equal = problem.l == problem.u
    upper, lower = np.isfinite(problem.u) & ~equal, np.isfinite(problem.l) & ~equal
    A, b = C[equal], problem.l[equal]
    G = np.vstack([C[upper], -C[lower]])
    h = np.concatenate([problem.u[upper], -problem.l[lower]])
    x, y, w, s = np.zeros(len(g)), np.zeros(len(b)), np.ones(len(h)), np.maximum(h, 1.0)
    iterations = 0
    while iterations < MOST:
        iterations += 1
        dual, equality, primal = H @ x + g + A.T @ y + G.T @ w, A @ x - b, G @ x + s - h
        gap = float(s @ w) / max(len(h), 1)
        if max(_largest(dual), _largest(equality), _largest(primal), gap) <= ROUNDING:
            break
        system = np.block([[H + G.T @ ((w / s)[:, None] * G), A.T], [A, np.zeros((len(b),) * 2)]])
        system += SMALL * np.diag(np.append(np.ones(len(x)), -np.ones(len(b))))

        def direction(target: Floats) -> tuple[Floats, Floats, Floats, Floats]:
            """Return dx, dy, dw, ds with ``w ds + s dw = -target``."""
            right = np.append(-dual + G.T @ ((target - w * primal) / s), -equality)  # noqa: B023
            both = np.linalg.solve(system, right)  # noqa: B023
            dx = both[: len(g)]
            ds = -primal - G @ dx  # noqa: B023
            return dx, both[len(g) :], (-target - w * ds) / s, ds  # noqa: B023

        try:
            _, _, dw, ds = direction(s * w)
            ahead = _longest(w, dw, s, ds)
            left = float((s + ahead * ds) @ (w + ahead * dw)) / max(len(h), 1)
            centred = (left / gap) ** 3 * gap if gap > 0.0 else 0.0
            dx, dy, dw, ds = direction(s * w + ds * dw - centred)
        except np.linalg.LinAlgError:
            break
        step = min(1.0, 0.995 * _longest(w, dw, s, ds)) if len(h) else 1.0
        if not np.isfinite(step) or not np.isfinite(dx).all():
            break
        x, y, w, s = x + step * dx, y + step * dy, w + step * dw, s + step * ds
    z = np.zeros(len(C))
    z[equal] = y
    z[upper] += w[: int(upper.sum())]
    z[lower] -= w[int(upper.sum()) :]
    return Answer(x, z, iterations, "interior point")


def _longest(w: Floats, dw: Floats, s: Floats, ds: Floats) -> float:
    """Return the longest step, at most 1, that leaves w and s not negative."""
    value, change = np.append(w, s), np.append(dw, ds)
    falling = change < 0.0
    return float(np.min(-value[falling] / change[falling], initial=1.0))


def _largest(residual: Floats) -> float:
    return float(np.abs(residual).max(initial=0.0))

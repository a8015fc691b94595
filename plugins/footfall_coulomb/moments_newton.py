"""Newton's method for problems with moments, where sweeps stall: many contacts, singular matrices.

On the function of Alart and Curnier (1991), with the tangential rows of a contact in one ball:
``r_n - max(0, r_n - u_n / w)`` and ``r_s - P(r_s - s / w)``, P the projection on ``|x| <= mu
max(0, r_n - u_n / w)``, w the largest diagonal entry of the contact. From no impulse and contacts
that give way in all directions, ``W + e diag(w)``, the answers are followed to stiff ones; then
what gives way does so from the last answer, whose fixed points are answers of the problem itself
(proximal steps, Rockafellar 1976). Dense and in NumPy: few problems need it.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.api.contact import BlockKind, ContactProblem
from footfall.api.plugin import Floats, Ints

SOFT = 10.0 ** np.arange(0.0, -9.0, -1.0)
"""Softness from answer to answer, of each contact's w."""
PROXIMAL, ANCHORED = 1e-6, 40
"""Softness of proximal steps, and their number."""
STEPS, LENGTHS = 30, 12
"""Most Newton steps to an answer, and how often a step is halved."""
SMALL = 1e-13
"""Of the residual, relative to that of no impulse, at which an answer is good enough."""


class MomentsNewton:
    """Solves a problem as it stands, offsets included; its rows are few hundred at most."""

    def __init__(self, problem: ContactProblem) -> None:
        arrays, n = problem.arrays, problem.n_rows
        self.W = problem.delassus()
        self.b = problem.free_velocity + problem.offset
        self._low, self._high = np.full(n, -np.inf), np.full(n, np.inf)
        self._cones: list[tuple[float, int, Ints]] = []
        self._rows: list[int] = []
        self._w = np.ones(n)
        for i, kind in enumerate(problem.kind):
            at = int(problem.row[i])
            rows = np.arange(at, int(problem.row[i + 1]))
            if kind == BlockKind.CONE:
                m = int(arrays.moments[i])
                more = np.arange(problem.row[m], problem.row[m + 1]) if m >= 0 else rows[:0]
                slips = np.concatenate([rows[:2], more])
                self._cones.append((float(problem.mu[i]), at + 2, slips))
                rows = np.append(slips, at + 2)
            elif kind != BlockKind.MOMENT:
                self._rows.append(at)
                box = kind == BlockKind.BOX
                self._low[at] = arrays.lower[i] if box else 0.0
                self._high[at] = arrays.upper[i] if box else np.inf
            if kind != BlockKind.MOMENT:
                self._w[rows] = max(float(np.diag(self.W)[rows].max()), 1e-300)

    def solve(self, r: Floats, tolerance: float) -> Floats:
        """Return the best impulse on the way from a good guess r, then from none.

        Args:
            r: shape (rows,), [N s].
            tolerance: natural map at which it is good enough, [m/s].
        """
        best, least = r, self.error(r)
        for start in (r, np.zeros_like(r)):
            x = start
            for softness in SOFT if start is not r else ():
                x = self._newton(x, softness, np.zeros_like(x))
            for _ in range(ANCHORED):
                x = self._newton(x, PROXIMAL, x)
                error = self.error(x)
                if error < least:
                    best, least = x, error
                if least <= tolerance:
                    return best
        return best

    def error(self, r: Floats) -> float:
        """Return the largest natural map of a contact or row, [m/s]."""
        u, w, worst = self.W @ r + self.b, self._w, 0.0
        for at in self._rows:
            x = min(max(r[at] - u[at] / w[at], self._low[at]), self._high[at])
            worst = max(worst, w[at] * abs(r[at] - x))
        for mu, n, s in self._cones:
            p, q = r[s] - u[s] / w[n], r[n] - (u[n] + mu * float(np.linalg.norm(u[s]))) / w[n]
            size = float(np.linalg.norm(p))
            kept, inside = 1.0, q
            if mu * size <= -q:
                kept, inside = 0.0, 0.0
            elif size > mu * q:
                inside = (q + mu * size) / (1.0 + mu * mu)
                kept = mu * inside / size
            away = math.hypot(float(np.linalg.norm(r[s] - kept * p)), r[n] - inside)
            worst = max(worst, w[n] * away)
        return worst

    def _newton(self, r: Floats, softness: float, anchor: Floats) -> Floats:
        """Return the answer for ``W + softness diag(w)``, given way from an anchor."""
        added = softness * self._w
        W = self.W + np.diag(added)
        b = self.b - added * anchor
        scale = float(np.linalg.norm(self._residual(np.zeros_like(r), W, b)[0]))
        F, J = self._residual(r, W, b)
        merit = float(np.linalg.norm(F))
        for _ in range(STEPS):
            if not merit > SMALL * scale:
                break
            step = np.linalg.lstsq(J, F, rcond=1e-14)[0]
            length = 1.0
            for _ in range(LENGTHS):
                tried, slope = self._residual(r - length * step, W, b)
                reached = float(np.linalg.norm(tried))
                if reached < (1.0 - 1e-4 * length) * merit:
                    break
                length *= 0.5
            r, F, J, merit = r - length * step, tried, slope, reached
        return r

    def _residual(self, r: Floats, W: Floats, b: Floats) -> tuple[Floats, Floats]:
        """Return the function times w, [m/s], and its Jacobian."""
        u, w = W @ r + b, self._w
        one = np.eye(len(r))
        F, J = u.copy(), W.copy()
        for at in self._rows:
            x = r[at] - u[at] / w[at]
            if not self._low[at] < x < self._high[at]:
                F[at] = w[at] * (r[at] - min(max(x, self._low[at]), self._high[at]))
                J[at] = w[at] * one[at]
        for mu, n, s in self._cones:
            pressed = r[n] - u[n] / w[n]
            if not pressed > 0.0:
                both = np.append(s, n)
                F[both], J[both] = w[n] * r[both], w[n] * one[both]
                continue
            y, dy = r[s] - u[s] / w[n], one[s] - W[s] / w[n]
            size = float(np.linalg.norm(y))
            if size > mu * pressed:
                d = y / size
                F[s] = w[n] * (r[s] - mu * pressed * d)
                turned = (dy - np.outer(d, d @ dy)) / size
                normal = one[n] - W[n] / w[n]
                J[s] = w[n] * (one[s] - mu * (np.outer(d, normal) + pressed * turned))
        return F, J

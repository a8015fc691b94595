"""A path from soft contacts to rigid ones, for when sweeps and Newton steps fail.

With ``W + s diag(w)`` in place of W, w the largest diagonal entry of each contact's block, every
contact gives way in all directions. For s = 1 Newton's method solves that problem in a few steps
from zero impulse. The path follows the answers down to rigid contacts. If Newton's method fails,
the step of log s is halved. Proximal steps then remove the last s: they replace ``W r`` by
``W r + s diag(w) (r - anchor)``, with the last answer as the anchor. Their fixed points are answers
of the original problem.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from footfall.api.plugin import Floats
from footfall_impacts.restitution.kernels import sweeps as kernels

SOFTEST, RIGID = 1.0, 1e-10
FIRST_FACTOR, LAST_FACTOR = 0.1, 0.97
"""Factors of s from answer to answer: the first, and the one at which the path is given up."""
STEPS = 12
"""Most Newton steps to one answer on the path."""
LENGTHS = 10
"""Most lengths tried for a Newton step, each half of the one before."""
PROXIMAL_STEPS = 30
MOST = 600
"""Most Newton steps in total."""
SOLVED = 1e-9
"""Size of F, relative to its size at r = 0, at which an answer on the path is good enough."""


@dataclass
class Path:
    """The problem ``u = W r + b``, ``0 <= r_n - lower perp u_n >= 0``, Coulomb's law.

    Attributes:
        W: shape (3 n, 3 n).
        b: shape (3 n,).
        mu: shape (n,).
        lower: shape (n,).
        tolerance: residual to reach, [m/s].
    """

    W: Floats
    b: Floats
    mu: Floats
    lower: Floats
    tolerance: float
    steps: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        largest = np.diag(self.W).reshape(-1, 3).max(axis=1)
        self._w = np.repeat(largest, 3)
        self._per = np.where(self._w > 0.0, 1.0 / np.maximum(self._w, 1e-300), 0.0)
        self._F, self._D = np.empty(len(self.b)), np.empty_like(self.W)

    def follow(self) -> Floats:
        """Follow the path, do proximal steps at its end, and return their best answer."""
        none = np.zeros(len(self.b))
        scale = float(np.sqrt(self._merit(SOFTEST, none, none)[0]))
        r = self._descend(none, SOLVED * scale)
        best, least = r, self._residual(r)
        for _ in range(PROXIMAL_STEPS):
            if least <= self.tolerance or self.steps >= MOST:
                break
            r = self._newton(RIGID, r, r, 1e-14 * scale, LENGTHS)[0]
            residual = self._residual(r)
            if residual < least:
                best, least = r, residual
        return best

    def _descend(self, r: Floats, small: float) -> Floats:
        """Follow the path from soft to rigid contacts as far as Newton's method allows."""
        softness, factor, reached, none = SOFTEST, FIRST_FACTOR, np.inf, np.zeros(len(r))
        while self.steps < MOST:
            before = self.steps
            x, solved = self._newton(softness, r, none, small, LENGTHS)
            if not solved:
                x, solved = self._newton(softness, r, none, small, 1)
            if solved:
                r, reached = x, softness
                if softness <= RIGID:
                    break
                if self.steps - before <= STEPS // 2:
                    factor = max(FIRST_FACTOR, factor**2)
                softness = max(RIGID, softness * factor)
                continue
            factor = factor**0.5
            if factor > LAST_FACTOR or not np.isfinite(reached):
                break
            softness = reached * factor
        return r

    def _newton(
        self, softness: float, r: Floats, anchor: Floats, small: float, lengths: int
    ) -> tuple[Floats, bool]:
        """Do Newton steps from r; return the last point, and whether it is an answer.

        Each step tries up to ``lengths`` halved lengths until the merit falls; with 1 it is full.
        """
        merit, F, D = self._merit(softness, r, anchor)
        for _ in range(STEPS):
            if merit <= small * small:
                return r, True
            try:
                step = np.linalg.solve(D, F)
            except np.linalg.LinAlgError:
                return r, False
            self.steps += 1
            length, start = 1.0, merit
            for _ in range(lengths):
                x = r - length * step
                merit, F, D = self._merit(softness, x, anchor)
                if merit < (1.0 - 2e-4 * length) * start:
                    break
                length *= 0.5
            if not np.isfinite(merit):
                return r, False
            r = x
        return r, bool(merit <= small * small)

    def _merit(self, softness: float, r: Floats, anchor: Floats) -> tuple[float, Floats, Floats]:
        """Return ``sum F^2 / w``, F and D of the softened problem."""
        W = self.W + softness * np.diag(self._w)
        b = self.b - softness * self._w * anchor
        kernels.linearise(W, b, self.mu, self.lower, r, self._F, self._D)
        return float(self._F @ (self._per * self._F)), self._F, self._D

    def _residual(self, r: Floats) -> float:
        F, D = np.empty_like(self._F), np.empty_like(self._D)
        return float(kernels.linearise(self.W, self.b, self.mu, self.lower, r, F, D))

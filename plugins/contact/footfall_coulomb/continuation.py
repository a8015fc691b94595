"""A path from soft contacts to rigid ones, for when sweeps and Newton steps fail.

With ``W + s diag(w)`` in place of W, where w is the largest diagonal entry of each contact's block,
every contact gives way in all directions. For s = 1 Newton's method solves that problem in a few
steps from zero impulse. The path follows the answers down to s = 1e-10. If Newton's method fails,
the step of log s is halved. Proximal steps follow at the end of the path: they replace ``W r`` by
``W r + s diag(w) (r - anchor)``, with the last answer as the anchor. Their fixed points are answers
of the original problem.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs

from footfall.api.contact import ContactProblem
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats
from footfall_coulomb.kernels.moments import newton, path
from footfall_coulomb.kernels.moments.six_rows import SixRows
from footfall_coulomb.workspace import Workspace

SOFTEST, RIGID = 1.0, 1e-10
FIRST_FACTOR, LAST_FACTOR = 0.1, 0.97
"""Factors of s from answer to answer: the first, and the one at which the path is given up."""
PATIENCE = 120
"""Most Newton steps to one answer on the path: a cone of six rows is curved in more directions than
one of three."""
LENGTHS = 10
PROXIMAL_STEPS = 30
SOLVED = 1e-9
"""Size of F, relative to its size at r = 0, at which an answer on the path is good enough."""


class Continuation:
    """Follows the path for a problem with moments.

    Args:
        problem: the problem to solve.
        work: the law's settings for it.
        six: scratch of its kernels.
    """

    def __init__(self, problem: ContactProblem, work: Workspace, six: SixRows) -> None:
        n = problem.n_rows
        self.steps, self._problem = 0, problem
        self._path = path.Path(np.zeros((n, n)), np.zeros((n, n)), *(np.zeros((7, n))))
        space, settings = table_of(self._path, six), table_of(work)
        self._tables = space, settings
        self._begin = bind(path.begin, problem.table, space, settings)
        self._end = bind(path.end, problem.table, settings)
        self._evaluate = bind(newton.evaluate, problem.table, space, like=(1.0,))
        self._finish = bind(newton.finish, problem.table, space)

    def solve(self, tolerance: float, most: int, deadline: float) -> float:
        """Overwrite the problem's impulse and offset; return the natural map, [m/s].

        Args:
            tolerance: natural map to reach, [m/s].
            most: most Newton steps.
            deadline: value of ``time.perf_counter``, [s]; infinite if there is none.
        """
        self.steps = 0

        def late() -> bool:
            return self.steps >= most or perf_counter() >= deadline

        self._begin()
        try:
            self._path.r[:] = 0.0
            self._path.anchor[:] = 0.0
            scale = float(np.sqrt(self._evaluate(SOFTEST)))
            self._descend(SOLVED * scale, late)
            return self._leave(tolerance, 1e-14 * scale, late)
        finally:
            self._end()

    def solve_near(self, tolerance: float, softness: float, most: int, deadline: float) -> float:
        """Do proximal steps from the problem's impulse, and overwrite it; return the natural map.

        Args:
            tolerance: natural map to reach, [m/s].
            softness: s of these steps, [-].
            most: most Newton steps.
            deadline: value of ``time.perf_counter``, [s]; infinite if there is none.
        """
        self.steps, path = 0, self._path
        given = self._problem.impulse.copy()
        self._begin()
        try:
            path.r[:] = path.anchor[:] = 0.0
            scale = float(np.sqrt(self._evaluate(softness)))
            path.r[:] = given
            return self._leave(
                *(tolerance, 1e-14 * scale),
                lambda: self.steps >= most or perf_counter() >= deadline,
                softness,
            )
        finally:
            self._end()

    def measure(self, impulse: Floats) -> float:
        """Set the problem's impulse to a given one; return its natural map, [m/s]."""
        self._begin()
        try:
            self._path.r[:] = impulse
            return float(self._finish())
        finally:
            self._end()

    def _descend(self, small: float, late: Callable[[], bool]) -> None:
        """Follow the path from soft to rigid contacts as far as Newton's method allows."""
        r = self._path.r
        softness, factor, reached = SOFTEST, FIRST_FACTOR, np.inf
        last = r.copy()
        while not late():
            before = self.steps
            solved = self._newton(softness, small, LENGTHS)
            if not solved:
                r[:] = last
                solved = self._newton(softness, small, 1)
            if solved:
                last[:] = r
                reached = softness
                if softness <= RIGID:
                    return
                if self.steps - before <= PATIENCE // 2:
                    factor = max(FIRST_FACTOR, factor**2)
                softness = max(RIGID, softness * factor)
            else:
                r[:] = last
                factor = factor**0.5
                if factor > LAST_FACTOR or not np.isfinite(reached):
                    return
                softness = reached * factor

    def _leave(
        self, tolerance: float, small: float, late: Callable[[], bool], softness: float = RIGID
    ) -> float:
        """Do proximal steps until the natural map passes; return it for the best answer."""
        path = self._path
        best = self._finish()
        kept = path.r.copy()
        for _ in range(PROXIMAL_STEPS):
            if best <= tolerance or late():
                break
            path.anchor[:] = path.r
            self._newton(softness, small, LENGTHS)
            residual = self._finish()
            if residual < best:
                best = residual
                kept[:] = path.r
        path.r[:] = kept
        return float(self._finish())

    def _newton(self, softness: float, small: float, lengths: int) -> bool:
        """Do Newton steps from ``path.r``; return whether ``sqrt(sum weight F^2) <= small``.

        Each step tries up to ``lengths`` halved lengths until the sum falls; with 1 it is full.
        """
        r, F = self._path.r, self._path.F
        merit = self._evaluate(softness)
        for _ in range(PATIENCE):
            if merit <= small * small:
                return True
            lu, pivots, singular = dgetrf(self._path.J.T, overwrite_a=1)
            if singular:
                return False
            step, _ = dgetrs(lu, pivots, F, trans=1)
            self.steps += 1
            start, length = r.copy(), 1.0
            for _ in range(lengths):
                r[:] = start - length * step
                reached = self._evaluate(softness)
                if reached < (1.0 - 2e-4 * length) * merit:
                    break
                length *= 0.5
            merit = reached
            if not np.isfinite(merit):
                return False
        return bool(merit <= small * small)

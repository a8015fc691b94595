"""A dense problem of contacts with the exact cone: sweeps, and Newton steps if sweeps are slow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats
from footfall_impacts.restitution.continuation import Path
from footfall_impacts.restitution.kernels import sweeps as kernels
from footfall_impacts.restitution.kernels.impact import PATIENCE, ROUNDING
from footfall_impacts.restitution.kernels.newton import NEWTON_STEPS, SINGULAR
from footfall_impacts.restitution.normal import normal_impulse


@dataclass(frozen=True, slots=True)
class Answer:
    """Impulses of a problem.

    Attributes:
        r: shape (3 n,), [N s].
        residual: residual of Alart and Curnier's function, [m/s].
        iterations: number of sweeps.
        solved: whether the residual is within the tolerance.
    """

    r: Floats
    residual: float
    iterations: int
    solved: bool


@dataclass(frozen=True, slots=True)
class Cones:
    """Contacts of a group: ``u = W r + b``, ``0 <= r_n - lower perp u_n >= 0``, Coulomb's law.

    Attributes:
        W: shape (3 n, 3 n), symmetric positive semidefinite.
        mu: shape (n,).
        tolerance: residual to reach, [m/s].
        max_iterations: most sweeps.
    """

    W: Floats
    mu: Floats
    tolerance: float
    max_iterations: int

    def solve(self, b: Floats, lower: Floats | None = None, start: Floats | None = None) -> Answer:
        """Solve from ``start``; return the best answer found.

        Block Gauss-Seidel with each contact solved exactly. Every ``PATIENCE`` sweeps, Newton steps
        on the whole problem, by least squares, since W may be singular. Once, Newton steps also
        start from the answer without friction and from the end of the path from soft contacts
        (``continuation.py``), which finds answers if masses differ by orders of magnitude.

        Args:
            b: shape (3 n,), [m/s].
            lower: shape (n,), least normal impulses; default zero.
            start: shape (3 n,); default zero.
        """
        lower = np.zeros(len(self.mu)) if lower is None else lower
        r = np.zeros(len(b)) if start is None else start.copy()
        best, least, iterations = r.copy(), self._residual(b, lower, r), 0
        while iterations < self.max_iterations and not self._passes(least, best):
            many = min(PATIENCE, self.max_iterations - iterations)
            tried = [r]
            if iterations == PATIENCE:
                tried.append(Path(self.W, b, self.mu, lower, self.tolerance).follow())
                if not lower.any():
                    tried.append(normal_impulse(self.W, b))
            iterations += kernels.sweep(self.W, b, self.mu, lower, r, many, 0.1 * self.tolerance)
            for candidate in (r, *tried[1:], *(self._newton(b, lower, x) for x in tried)):
                residual = self._residual(b, lower, candidate)
                if residual < least:
                    best, least = candidate.copy(), residual
        return Answer(best, least, iterations, self._passes(least, best))

    def _passes(self, residual: float, r: Floats) -> bool:
        """Return whether the residual of r is within the tolerance plus rounding."""
        rounding = ROUNDING * float((np.abs(self.W) @ np.abs(r)).max(initial=0.0))
        return bool(residual <= self.tolerance + rounding)

    def _residual(self, b: Floats, lower: Floats, r: Floats) -> float:
        F, D = np.empty(len(b)), np.empty_like(self.W)
        return float(kernels.linearise(self.W, b, self.mu, lower, r, F, D))

    def _newton(self, b: Floats, lower: Floats, r: Floats) -> Floats:
        """Return the best point of a series of Newton steps, each projected into the cones."""
        F, D = np.empty(len(b)), np.empty_like(self.W)
        r = best = r.copy()
        least = float(kernels.linearise(self.W, b, self.mu, lower, r, F, D))
        for _ in range(NEWTON_STEPS):
            if not least > 0.0 or least <= self.tolerance:
                break
            r = self._into_cones(r - np.linalg.lstsq(D, F, rcond=SINGULAR)[0], lower)
            residual = float(kernels.linearise(self.W, b, self.mu, lower, r, F, D))
            if residual < least:
                best, least = r, residual
        return best

    def _into_cones(self, r: Floats, lower: Floats) -> Floats:
        """Return the impulses projected back into their cones."""
        x = r.reshape(-1, 3).copy()
        x[:, 2] = np.maximum(x[:, 2], lower)
        size, bound = np.hypot(x[:, 0], x[:, 1]), self.mu * x[:, 2]
        beyond = size > bound
        x[beyond, :2] *= (bound[beyond] / size[beyond])[:, None]
        return x.ravel()

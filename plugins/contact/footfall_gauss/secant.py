"""Anderson's acceleration of a fixed-point iteration ``x = F(x)``."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats

MEMORY = 3
"""Number of answers that the secants use."""
WORSE = 1.0
"""Growth of the residual in a step above which the memory is cleared: the map has a kink in
between, and the next step is a plain one."""


class Secants:
    """Secant iteration that proposes the next point x from F of the last points.

    ``x_next = F_k - sum_j c_j (F_(k-j+1) - F_(k-j))`` with the c that make the same combination of
    the residuals ``f = F(x) - x`` smallest (Walker, Ni, "Anderson acceleration for fixed-point
    iterations", SIAM J. Numer. Anal. 49 (2011)). Negative entries of x become zero.

    Attributes:
        x: shape (n,), the point at which to evaluate F.
    """

    def __init__(self, start: Floats) -> None:
        self.x = start
        self._images: list[Floats] = []
        self._residuals: list[Floats] = []
        self._last = np.inf

    def advance(self, image: Floats) -> None:
        """Take ``F(x)`` and propose the next x."""
        residual = image - self.x
        size = float(np.abs(residual).max())
        if size > WORSE * self._last:
            self._images.clear()
            self._residuals.clear()
        self._last = size
        self._images = [*self._images[-MEMORY + 1 :], image]
        self._residuals = [*self._residuals[-MEMORY + 1 :], residual]
        step = image
        if len(self._images) > 1:
            dF = np.diff(np.array(self._images), axis=0).T
            df = np.diff(np.array(self._residuals), axis=0).T
            c, *_ = np.linalg.lstsq(df, residual, rcond=1e-10)
            step = image - dF @ c
        self.x = np.maximum(step, 0.0)

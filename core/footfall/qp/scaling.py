"""A QP in units of its own, for backends whose tolerances are absolute.

With h the largest diagonal entry of H and c the largest entry of g, ``x = (c / h) y`` turns
``min 1/2 x'Hx + g'x, l <= C x <= u`` into ``c^2 / h`` times
``min 1/2 y'(H/h)y + (g/c)'y, l h/c <= C y <= u h/c``, with multipliers ``z / c``. A heavy robot and
a light one then look alike, and so do newtons and newton seconds. Measured on problems of two feet:
without it DAQP fails on two in three of those with entries of g of order 1e4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.interfaces.solver import QPProblem
from footfall.problem.kkt import scale
from footfall.typing import Floats

LEAST = 1e-6
"""Smallest c: a gradient below it is rounding, and must not be blown up to order one."""


@dataclass(frozen=True, slots=True)
class ScaledQP:
    """A QP in units of its own, and those units.

    Attributes:
        problem: with the largest diagonal entry of H 1 and the largest entry of g about 1.
        x_unit: of x, ``c / h``.
        z_unit: of z, ``c``.
    """

    problem: QPProblem
    x_unit: float
    z_unit: float

    @classmethod
    def of(cls, problem: QPProblem) -> ScaledQP:
        """Scale a problem; a zero Hessian is left as it is.

        Raises:
            ValueError: if the problem is not ``is_finite``.
        """
        n, m, contiguous = len(problem.g), len(problem.l), np.ascontiguousarray
        H, g, low, high = np.empty((n, n)), np.empty(n), np.empty(m), np.empty(m)
        given = contiguous(problem.H), problem.g, contiguous(problem.C), problem.l, problem.u
        x_unit, z_unit = scale(*given, LEAST, H, g, low, high)
        if x_unit == 0.0:
            raise ValueError("H, g, C, l or u is not valid")
        return cls(QPProblem(H, g, problem.C, low, high), x_unit, z_unit)

    def into(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return an (x, z) of the original problem in the units of this one."""
        return x / self.x_unit, z / self.z_unit

    def back(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return an answer of this problem in the units of the original."""
        return x * self.x_unit, z * self.z_unit

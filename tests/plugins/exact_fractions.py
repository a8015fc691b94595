"""Linear algebra without rounding: matrices as lists of rows of fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from footfall.typing import Floats

Matrix = list[list[Fraction]]


def exact(matrix: Floats) -> Matrix:
    """The floats of a matrix as they are; a vector becomes a column."""
    rows = matrix if matrix.ndim == 2 else matrix[:, None]
    return [[Fraction(float(x)) for x in row] for row in rows]


def transposed(A: Matrix) -> Matrix:
    """The transpose."""
    return [list(row) for row in zip(*A, strict=True)]


def product(A: Matrix, B: Matrix) -> Matrix:
    """``A B``."""
    columns = transposed(B)
    return [
        [sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0)) for column in columns]
        for row in A
    ]


def solution(A: Matrix, B: Matrix) -> Matrix:
    """``A^-1 B``, by Gauss-Jordan elimination."""
    n = len(A)
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                factor = rows[r][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[n:] for row in rows]


def damped_stop(M: Floats, J: Floats, v: Floats, damping: float) -> Floats:
    """``v - M^-1 J' W (W W + k^2 1)^-1 J v`` with ``W = J M^-1 J'``, rounded once, in the end."""
    Jx, vx, k = exact(J), exact(v), Fraction(damping)
    per_impulse = solution(exact(M), transposed(Jx))
    W = product(Jx, per_impulse)
    square = product(W, W)
    for i in range(len(W)):
        square[i][i] += k * k
    impulse = product(W, solution(square, product(Jx, vx)))
    change = product(per_impulse, impulse)
    return np.array([float(a[0] - b[0]) for a, b in zip(vx, change, strict=True)])

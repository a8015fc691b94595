"""Dense systems of equations by Gaussian elimination."""

from __future__ import annotations

from footfall.jit.compiling import inner, routine
from footfall.jit.four import get_four, set_four, subtract_times


@inner
def subtract_two(row, first, n, s, x, t, y):
    """Subtract ``s x + t y`` from the entries of a row from ``first`` to n, four at a time."""
    for b in range(first, n - 3, 4):
        four = subtract_times(get_four(row, b), s, get_four(x, b))
        set_four(row, b, subtract_times(four, t, get_four(y, b)))
    for b in range(n - (n - first) % 4, n):
        row[b] = row[b] - s * x[b] - t * y[b]


@routine
def factor_dense(J, pivot, n):
    """Overwrite J by its triangular factors, with row pivoting; return False if singular.

    Two columns are eliminated together: each row below is read and written half as often.
    """
    for k in range(n):
        p = k
        for a in range(k + 1, n):
            if abs(J[a, k]) > abs(J[p, k]):
                p = a
        pivot[k] = p
        if abs(J[p, k]) < 1e-300:
            return False
        if p != k:
            for b in range(n):
                J[k, b], J[p, b] = J[p, b], J[k, b]
        inverse, first = 1.0 / J[k, k], k % 2 == 0 and k + 1 < n
        for a in range(k + 1, n):
            J[a, k] *= inverse
            if first:
                J[a, k + 1] -= J[a, k] * J[k, k + 1]
        if k % 2 == 1:
            x, y = J[k - 1], J[k]
            for b in range(k + 1, n):
                y[b] -= y[k - 1] * x[b]
            for a in range(k + 1, n):
                s, t = J[a, k - 1], J[a, k]
                if s != 0.0 or t != 0.0:
                    subtract_two(J[a], k + 1, n, s, x, t, y)
    return True


@routine
def solve_dense(J, pivot, F, n, factored):
    """Overwrite F with ``J^-1 F``, and J with its factors; return False if J is singular.

    ``factored``: whether J and ``pivot`` hold the factors from an earlier call.
    """
    if not factored and not factor_dense(J, pivot, n):
        return False
    for k in range(n):
        p = pivot[k]
        F[k], F[p] = F[p], F[k]
    for k in range(n):
        s = F[k]
        for b in range(k):
            s -= J[k, b] * F[b]
        F[k] = s
    for k in range(n - 1, -1, -1):
        s = F[k]
        for b in range(k + 1, n):
            s -= J[k, b] * F[b]
        F[k] = s / J[k, k]
    return True

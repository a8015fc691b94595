"""Dense systems of equations by Gaussian elimination."""

from __future__ import annotations

from footfall.jit.compiling import routine
from footfall.jit.four import dot, subtract_two


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
        F[k] -= dot(J[k], F, 0, k)
    for k in range(n - 1, -1, -1):
        F[k] = (F[k] - dot(J[k], F, k + 1, n)) / J[k, k]
    return True

"""Dense systems of equations by Gaussian elimination."""

from __future__ import annotations

from footfall.jit.compiling import inner, routine

PANEL = 4
"""Number of columns eliminated together."""


@inner
def factor_panel(J, pivot, first, end, n):
    """Eliminate columns ``first`` to ``end`` with row pivoting; return False if singular.

    The factors stay below the diagonal. Columns after ``end`` are updated in these rows only.
    """
    for k in range(first, end):
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
        inverse = 1.0 / J[k, k]
        for a in range(k + 1, n):
            J[a, k] *= inverse
            for b in range(k + 1, end):
                J[a, b] -= J[a, k] * J[k, b]
    for k in range(first, end):
        for c in range(first, k):
            for b in range(end, n):
                J[k, b] -= J[k, c] * J[c, b]
    return True


@routine
def factor_dense(J, pivot, n):
    """Overwrite J by its triangular factors, with row pivoting; return False if singular.

    Four columns are eliminated together: each row below is read and written a quarter as often.
    """
    for first in range(0, n, PANEL):
        end = min(first + PANEL, n)
        if not factor_panel(J, pivot, first, end, n):
            return False
        if end == n:
            break
        r0, r1, r2, r3 = J[first], J[first + 1], J[first + 2], J[first + 3]
        for a in range(end, n):
            row = J[a]
            f0, f1, f2, f3 = row[first], row[first + 1], row[first + 2], row[first + 3]
            if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                for b in range(end, n):
                    row[b] -= f0 * r0[b] + f1 * r1[b] + f2 * r2[b] + f3 * r3[b]
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

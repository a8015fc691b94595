"""Dense systems: the Delassus matrix as a whole, and Gaussian elimination."""

from __future__ import annotations

from footfall.api.contact import ProblemSize
from footfall.api.kernels import inner, kernel, routine

PANEL = 4
"""Number of columns eliminated together."""


@routine
def write_dense(problem, D):
    """Write the Delassus matrix to D[:n, :n]; return the mean of its diagonal."""
    n, row, W = problem.size[ProblemSize.ROWS], problem.row, problem.W
    blocks, trace = problem.size[ProblemSize.BLOCKS], 0.0
    if problem.pair_start[blocks] < blocks * blocks:
        for a in range(n):
            for b in range(n):
                D[a, b] = 0.0
    for i in range(blocks):
        rows = row[i + 1] - row[i]
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[p], problem.pair_data[p]
            columns = row[j + 1] - row[j]
            for a in range(rows):
                for b in range(columns):
                    D[row[i] + a, row[j] + b] = W[at + a * columns + b]
        for a in range(row[i], row[i + 1]):
            trace += D[a, a]
    return trace / n


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
def solve_factored(J, pivot, F, n):
    """Overwrite F with J^-1 F by the factors that ``factor_dense`` has left in J."""
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


@inner
def solve_dense(J, pivot, F, n):
    """Overwrite F with J^-1 F; return False if J is singular."""
    if not factor_dense(J, pivot, n):
        return False
    solve_factored(J, pivot, F, n)
    return True


@routine
def factor_symmetric(J, n):
    """Eliminate in the upper triangle of a symmetric J; return False if it is not definite.

    By Cholesky's elimination, ``J[a, b] -= J[k, a] J[k, b] / J[k, k]``, without pivoting.
    """
    for k in range(n):
        top = J[k]
        if not top[k] > 0.0:
            return False
        inverse = 1.0 / top[k]
        for a in range(k + 1, n):
            row, scale = J[a], top[a] * inverse
            for b in range(a, n):
                row[b] -= scale * top[b]
    return True


@routine
def solve_symmetric(J, F, n):
    """Overwrite F with J^-1 F after ``factor_symmetric``."""
    for k in range(n):
        top, f = J[k], F[k] / J[k, k]
        for a in range(k + 1, n):
            F[a] -= top[a] * f
    for k in range(n - 1, -1, -1):
        top, s = J[k], F[k]
        for b in range(k + 1, n):
            s -= top[b] * F[b]
        F[k] = s / top[k]


@kernel
def is_definite(A):
    """Return whether a symmetric matrix is positive definite; overwrite its upper triangle."""
    return factor_symmetric(A, A.shape[0])

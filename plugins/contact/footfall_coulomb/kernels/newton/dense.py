"""The Delassus matrix as a whole, and dense symmetric systems."""

from __future__ import annotations

from footfall.api.contact import ProblemSize
from footfall.api.kernels import kernel, routine


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
        top, rows = row[i], row[i + 1] - row[i]
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[p], problem.pair_data[p]
            left, columns = row[j], row[j + 1] - row[j]
            for a in range(rows):
                line = D[top + a]
                for b in range(columns):
                    line[left + b] = W[at + b]
                at += columns
        for a in range(top, top + rows):
            trace += D[a, a]
    return trace / n


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

"""The Delassus matrix as a whole, and dense symmetric systems."""

from __future__ import annotations

import math

from footfall.api.advanced import dot, subtract_two
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
                line[left] = W[at]
                if columns == 3:
                    line[left + 1], line[left + 2] = W[at + 1], W[at + 2]
                at += columns
        for a in range(top, top + rows):
            trace += D[a, a]
    return trace / n


@routine
def take_product(product, D, n):
    """Write the matrix of a ``Factor.product`` to D[:n, :n]."""
    width = int(math.sqrt(len(product)))
    for a in range(n):
        for b in range(a, n):
            D[a, b] = D[b, a] = product[a * width + b]


@routine
def factor_symmetric(J, n):
    """Eliminate in the upper triangle of a symmetric J; return False if it is not definite.

    By Cholesky's elimination, ``J[a, b] -= J[k, a] J[k, b] / J[k, k]``, without pivoting, two k at
    once. The diagonal becomes its reciprocals. Entries are written four at a time, from a multiple
    of four on: those below the diagonal are lost.
    """
    for k in range(0, n, 2):
        top = J[k]
        if not top[k] > 0.0:
            return False
        top[k] = 1.0 / top[k]
        if k + 1 == n:
            break
        under, scale = J[k + 1], top[k + 1] * top[k]
        for b in range(k + 1, n):
            under[b] -= scale * top[b]
        if not under[k + 1] > 0.0:
            return False
        under[k + 1] = 1.0 / under[k + 1]
        for a in range(k + 2, n):
            s, t = top[a] * top[k], under[a] * under[k + 1]
            subtract_two(J[a], a - a % 4, n, s, top, t, under)
    return True


@routine
def solve_symmetric(J, F, n):
    """Overwrite F with J^-1 F after ``factor_symmetric``."""
    for k in range(n):
        top, f = J[k], F[k] * J[k, k]
        for a in range(k + 1, n):
            F[a] -= top[a] * f
    for k in range(n - 1, -1, -1):
        F[k] = (F[k] - dot(J[k], F, k + 1, n)) * J[k, k]


@kernel
def is_definite(A):
    """Return whether a symmetric matrix is positive definite; overwrite its upper triangle."""
    return factor_symmetric(A, A.shape[0])

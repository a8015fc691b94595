"""Newton steps on a whole group, by least squares: compiled when sweeps first fail.

The steps are those of ``cones.py``, with another factorisation: a QR decomposition with column
pivoting, and a second one of the remaining R if the matrix is singular.
"""

from __future__ import annotations

import math

from footfall.api.kernels import inner, kernel, routine
from footfall_impacts.restitution.kernels.sweeps import linearise_contacts
from footfall_impacts.restitution.workspace import GroupTask, group_arrays

NEWTON_STEPS = 30
SINGULAR = 1e-13
"""Length of a remaining column, relative to the longest, up to which it depends on the others."""


@inner
def longest_column(D, k, n):
    """Return the index and length of the longest column, from column k and row k on."""
    longest, chosen = -1.0, k
    for j in range(k, n):
        square = 0.0
        for i in range(k, n):
            square += D[i, j] * D[i, j]
        if square > longest:
            longest, chosen = square, j
    return chosen, math.sqrt(longest)


@inner
def reflect_column(D, F, k, n, length):
    """Reflect column k onto its diagonal, and F and the later columns with it.

    ``length`` is the column's length from row k on.
    """
    corner = D[k, k]
    end = -length if corner >= 0.0 else length
    first, half = corner - end, length * (length + abs(corner))
    for j in range(k + 1, n):
        s = first * D[k, j]
        for i in range(k + 1, n):
            s += D[i, k] * D[i, j]
        s /= half
        D[k, j] -= s * first
        for i in range(k + 1, n):
            D[i, j] -= s * D[i, k]
    s = first * F[k]
    for i in range(k + 1, n):
        s += D[i, k] * F[i]
    s /= half
    F[k] -= s * first
    for i in range(k + 1, n):
        F[i] -= s * D[i, k]
    D[k, k] = end


@routine
def triangulate(D, F, order, n):
    """Overwrite D and F with R and Q'F of ``D P = Q R``, and ``order`` with P; return the rank.

    Businger and Golub, Linear least squares solutions by Householder transformations, 1965.
    """
    largest = 0.0
    for k in range(n):
        order[k] = k
    for k in range(n):
        j, length = longest_column(D, k, n)
        largest = max(largest, length)
        if length <= SINGULAR * largest:
            return k
        for i in range(n):
            D[i, j], D[i, k] = D[i, k], D[i, j]
        order[j], order[k] = order[k], order[j]
        reflect_column(D, F, k, n, length)
    return n


@inner
def reflect_rows(D, first, rank, n):
    """Bring the columns of R beyond its rank to zero by reflections from the right.

    Each reflection is kept in its row of D beyond the rank; ``first`` holds its first number; 0: no
    reflection.
    """
    for k in range(rank - 1, -1, -1):
        square = 0.0
        for j in range(rank, n):
            square += D[k, j] * D[k, j]
        first[k] = 0.0
        if square == 0.0:
            continue
        length = math.sqrt(square + D[k, k] * D[k, k])
        end = -length if D[k, k] >= 0.0 else length
        first[k], half = D[k, k] - end, length * (length + abs(D[k, k]))
        for i in range(k):
            s = first[k] * D[i, k]
            for j in range(rank, n):
                s += D[k, j] * D[i, j]
            s /= half
            D[i, k] -= s * first[k]
            for j in range(rank, n):
                D[i, j] -= s * D[k, j]
        D[k, k] = end


@inner
def turn_back(D, x, first, rank, n):
    """Apply the reflections of ``reflect_rows`` to x, which is zero beyond the rank."""
    for k in range(rank):
        if first[k] == 0.0:
            continue
        square, s = first[k] * first[k], first[k] * x[k]
        for j in range(rank, n):
            square += D[k, j] * D[k, j]
            s += D[k, j] * x[j]
        s *= 2.0 / square
        x[k] -= s * first[k]
        for j in range(rank, n):
            x[j] -= s * D[k, j]


@routine
def least_squares(D, F, x, scratch, order, n):
    """Write the shortest x with the smallest ``|D x - F|``; overwrite D and F.

    A complete orthogonal decomposition (Golub and Van Loan, Matrix Computations, 2013, 5.4.7).

    Args:
        D: room for shape (n, n).
        F: room for shape (n,), as for x, scratch and order.
        x: the answer; must not be F.
        scratch: work space.
        order: work space.
        n: size of the system.
    """
    rank = triangulate(D, F, order, n)
    if rank < n:
        reflect_rows(D, scratch, rank, n)
    for k in range(n):
        x[k] = 0.0
    for k in range(rank - 1, -1, -1):
        s = F[k]
        for j in range(k + 1, rank):
            s -= D[k, j] * x[j]
        x[k] = s / D[k, k]
    if rank < n:
        turn_back(D, x, scratch, rank, n)
    for k in range(n):
        scratch[order[k]] = x[k]
    for k in range(n):
        x[k] = scratch[k]


@inner
def into_cones(work, r, contacts):
    """Project impulses back into their cones."""
    for c in range(contacts):
        i = 3 * c
        r[i + 2] = max(r[i + 2], work.lower[c])
        size, bound = math.hypot(r[i], r[i + 1]), work.mu[c] * r[i + 2]
        if size > bound:
            r[i], r[i + 1] = r[i] * (bound / size), r[i + 1] * (bound / size)


@kernel
def try_newton(space):
    """Do Newton steps from the group's impulse; keep the best impulse, and write its residual.

    ``work.task`` holds contacts and tolerance, and receives the residual.
    """
    work = group_arrays(space)
    contacts, tolerance = int(work.task[GroupTask.CONTACTS]), work.task[GroupTask.TOLERANCE]
    n, r, best = 3 * contacts, work.point, work.r
    arrays = work.W, work.b, work.mu, work.lower
    for i in range(n):
        r[i] = best[i]
    least = linearise_contacts(*arrays, r, work.F, work.factor, contacts)
    for _ in range(NEWTON_STEPS):
        if not least > tolerance:
            break
        least_squares(work.factor, work.F, work.step, work.scratch, work.order, n)
        for i in range(n):
            r[i] -= work.step[i]
        into_cones(work, r, contacts)
        left = linearise_contacts(*arrays, r, work.F, work.factor, contacts)
        if left < least:
            least = left
            for i in range(n):
                best[i] = r[i]
    work.task[GroupTask.RESIDUAL] = least

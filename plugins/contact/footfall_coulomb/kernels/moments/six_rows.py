"""Contacts with torsional and rolling friction: cones of six rows, each solved exactly.

Such a contact has two blocks, forces and moments (``BlockKind.MOMENT``), whose five tangential rows
share one cone ``|x| <= mu r_n``. With ``u = W r + b`` of its six rows, s its slip (u_t, u_m) and n
its normal row it is open, sticks (``s = 0``, ``u_n = 0``) or slips: ``u_n = 0``, ``s = -l x``,
``|x| = mu r_n`` for some l > 0. Eliminating ``u_n = 0`` leaves the tangential matrix
``A = W_ss - W_sn W_ns / W_nn``, which is diagonalised. ``(A + l) x = -c`` is then a sum of five
terms for any l, and bisection finds the l that puts x on the cone.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.api.advanced import project_cone
from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall.api.plugin import Floats1, Floats2, Ints1
from footfall_coulomb.kernels.sweep import (
    block_error,
    is_negative,
    largest_diagonal,
    pair_at,
    row_velocity,
)

SLIPS = 5
"""Tangential rows of a contact with moments; its sixth is the normal one."""
STILL = 1e-14
"""Eigenvalue of A, relative to the largest, up to which a direction counts as immobile."""


class SixRows(NamedTuple):
    """Scratch for one contact, in the order tangents, rolling, spin, normal.

    Attributes:
        W: shape (6, 6), the contact's part of the Delassus matrix.
        b: shape (6,), velocity without the contact's own impulse, [m/s].
        r: shape (6,), its impulse, [N s].
        u: shape (6,), its velocity, [m/s].
        A, Q: shape (5, 5), the tangential matrix A; its eigenvectors as columns.
        value: shape (5,), its eigenvalues, [1/kg].
        c, h: shape (5,), ``Q' c`` [m/s] and ``Q' W_sn`` [1/kg].
        best, given, anchor: shape (rows,), impulses of Newton steps on all contacts, [N s].
        diagonal, weight, soft: shape (rows,), see ``kernels.moments.newton.weigh``, [1/kg].
        pivot: shape (rows,), rows swapped in the factorisation of such a step.
    """

    W: Floats2
    b: Floats1
    r: Floats1
    u: Floats1
    A: Floats2
    Q: Floats2
    value: Floats1
    c: Floats1
    h: Floats1
    best: Floats1
    given: Floats1
    anchor: Floats1
    diagonal: Floats1
    weight: Floats1
    soft: Floats1
    pivot: Ints1


def allocate_six_rows(rows: int) -> SixRows:
    """Allocate the scratch for problems with this number of rows."""
    n, many = SLIPS, SLIPS + 1
    shapes = ((many, many), many, many, many, (n, n), (n, n), n, n, n, *[rows] * 6)
    arrays: list[Any] = [np.zeros(shape) for shape in shapes]
    arrays.append(np.zeros(rows, np.int64))
    return SixRows(*arrays)


@inner
def place(problem, i, k):
    """Return the k-th of the six rows of a contact with moments, whose cone is block i."""
    if k == SLIPS:
        return problem.row[i] + 2
    return problem.row[i] + k if k < 2 else problem.row[problem.moments[i]] + k - 2


@inner
def velocities(problem, free, offset, r, i, six):
    """Write the contact's impulse and velocity."""
    for a in range(SLIPS + 1):
        block = problem.moments[i] if 2 <= a < SLIPS else i
        at = place(problem, i, a)
        six.r[a] = r[at]
        six.u[a] = row_velocity(problem, free, offset, r, block, at - problem.row[block])


@inner
def gather(problem, free, offset, r, i, six):
    """Write the contact's matrix, impulse, velocity, and velocity without its own impulse."""
    velocities(problem, free, offset, r, i, six)
    m, row = problem.moments[i], problem.row
    for a in range(SLIPS + 1):
        block, s = m if 2 <= a < SLIPS else i, six.u[a]
        for c in range(SLIPS + 1):
            other = m if 2 <= c < SLIPS else i
            at = 3 * (place(problem, i, a) - row[block]) + place(problem, i, c) - row[other]
            six.W[a, c] = problem.W[pair_at(problem, block, other) + at]
            s -= six.W[a, c] * six.r[c]
        six.b[a] = s


@inner
def rotate(A, Q, p, q):
    """Turn the p-th and the q-th axis of a symmetric A so that ``A[p, q]`` is zero (Jacobi)."""
    if A[p, q] == 0.0:
        return
    theta = (A[q, q] - A[p, p]) / (2.0 * A[p, q])
    t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + math.hypot(theta, 1.0))
    c = 1.0 / math.hypot(t, 1.0)
    s = t * c
    for k in range(SLIPS):
        x, y = A[k, p], A[k, q]
        A[k, p], A[k, q] = c * x - s * y, s * x + c * y
    for k in range(SLIPS):
        x, y = A[p, k], A[q, k]
        A[p, k], A[q, k] = c * x - s * y, s * x + c * y
        x, y = Q[k, p], Q[k, q]
        Q[k, p], Q[k, q] = c * x - s * y, s * x + c * y


@routine
def diagonalise(A, Q):
    """Overwrite a symmetric A with its eigenvalues on the diagonal, Q with its eigenvectors."""
    for i in range(SLIPS):
        for j in range(SLIPS):
            Q[i, j] = 1.0 if i == j else 0.0
    for _ in range(30):
        off, diagonal = 0.0, 0.0
        for i in range(SLIPS):
            diagonal += A[i, i] * A[i, i]
            for j in range(i):
                off += A[i, j] * A[i, j]
        if off <= 1e-34 * diagonal:
            return
        for p in range(SLIPS):
            for q in range(p + 1, SLIPS):
                rotate(A, Q, p, q)


@inner
def eliminate_normal(six):
    """Write A, its eigenvectors, and c and W_sn along them."""
    W, b = six.W, six.b
    for a in range(SLIPS):
        for e in range(SLIPS):
            six.A[a, e] = 0.5 * (W[a, e] + W[e, a]) - W[a, SLIPS] * W[SLIPS, e] / W[SLIPS, SLIPS]
    diagonalise(six.A, six.Q)
    largest = 0.0
    for k in range(SLIPS):
        largest = max(largest, six.A[k, k])
    for k in range(SLIPS):
        c, h = 0.0, 0.0
        for a in range(SLIPS):
            c += six.Q[a, k] * (b[a] - W[a, SLIPS] * b[SLIPS] / W[SLIPS, SLIPS])
            h += six.Q[a, k] * W[SLIPS, a]
        still = six.A[k, k] <= STILL * largest
        six.value[k] = 1.0 if still else six.A[k, k]
        six.c[k], six.h[k] = 0.0 if still else c, h


@inner
def answer(six, slip):
    """Return the size of the tangential impulse, and the normal impulse, for an l, [N s]."""
    square, q = 0.0, six.b[SLIPS]
    for k in range(SLIPS):
        x = -six.c[k] / (six.value[k] + slip)
        square += x * x
        q += six.h[k] * x
    return math.sqrt(square), -q / six.W[SLIPS, SLIPS]


@inner
def is_outside(six, mu, slip):
    """Return whether the answer for a multiplier is outside the cone."""
    tangential, normal = answer(six, slip)
    return tangential > mu * normal


@inner
def slip_multiplier(six, mu):
    """Return the largest l for which the answer is on the cone, to rounding.

    For a large l the answer is inside: the tangential impulse vanishes, and the normal impulse
    becomes ``-b_n / W_nn > 0``.
    """
    high = 0.0
    for k in range(SLIPS):
        high = max(high, six.value[k])
    while is_outside(six, mu, high) and high < 1e150:
        high *= 16.0
    low = high / 16.0
    while not is_outside(six, mu, low) and low > 1e-150:
        high = low
        low /= 16.0
    for _ in range(80):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        if is_outside(six, mu, middle):
            low = middle
        else:
            high = middle
    return high


@inner
def take(six, slip):
    """Write the answer for a multiplier to ``six.r``."""
    for a in range(SLIPS):
        s = 0.0
        for k in range(SLIPS):
            s -= six.Q[a, k] * six.c[k] / (six.value[k] + slip)
        six.r[a] = s
    six.r[SLIPS] = answer(six, slip)[1]


@routine
def solve_six_rows(six, mu):
    """Overwrite ``six.r`` with the answer for ``six.b``, ``six.W``.

    If friction jams (large mu), open and stick may both be solutions: a loaded contact tries stick
    first, like a contact without moments.
    """
    approach, carries = six.b[SLIPS] < 0.0, six.r[SLIPS] > 0.0
    for a in range(SLIPS + 1):
        six.r[a] = 0.0
    if six.W[SLIPS, SLIPS] <= 0.0 or not (approach or carries):
        return
    eliminate_normal(six)
    tangential, normal = answer(six, 0.0)
    if normal > 0.0 and tangential <= mu * normal:
        take(six, 0.0)
    elif approach and mu > 0.0:
        take(six, slip_multiplier(six, mu))
    elif approach:
        six.r[SLIPS] = -six.b[SLIPS] / six.W[SLIPS, SLIPS]


@inner
def relax_six_rows(problem, free, offset, r, i, six):
    """Solve one contact with moments, with the others fixed; return the change of its velocity."""
    gather(problem, free, offset, r, i, six)
    solve_six_rows(six, problem.mu[i])
    moved, w = 0.0, 0.0
    for a in range(SLIPS + 1):
        at = place(problem, i, a)
        moved, w = max(moved, abs(six.r[a] - r[at])), max(w, six.W[a, a])
        r[at] = six.r[a]
    return w * moved


@inner
def six_rows_weight(problem, i):
    """Return the largest diagonal entry of the six rows of a contact with moments, [1/kg]."""
    return max(largest_diagonal(problem, i), largest_diagonal(problem, problem.moments[i]))


@inner
def six_row_error(problem, free, offset, r, i, six):
    """Return the natural-map residual of a contact with moments, [m/s].

    ``|r - P_K(r - (u + mu |s| n) / w)| w``, w the largest diagonal entry of its six rows. As for
    other blocks, it is infinite if no entry is positive but one is negative.
    """
    w, m = six_rows_weight(problem, i), problem.moments[i]
    if w <= 0.0:
        return math.inf if is_negative(problem, i) or is_negative(problem, m) else 0.0
    velocities(problem, free, offset, r, i, six)
    mu, rn, slip, size = problem.mu[i], six.r[SLIPS], 0.0, 0.0
    for a in range(SLIPS):
        slip += six.u[a] ** 2
        size += (six.r[a] - six.u[a] / w) ** 2
    slip, size = mu * math.sqrt(slip), math.sqrt(size)
    inside, _, pn = project_cone(size, 0.0, rn - (six.u[SLIPS] + slip) / w, mu)
    kept, square = inside / size if size > 0.0 else 0.0, (rn - pn) ** 2
    for a in range(SLIPS):
        square += (six.r[a] - kept * (six.r[a] - six.u[a] / w)) ** 2
    return w * math.sqrt(square)


@routine
def natural_map(problem, free, offset, r, six):
    """Return the largest residual of a contact or row, [m/s]; NaN if one is NaN."""
    worst = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] == BlockKind.MOMENT:
            continue
        if problem.kind[i] == BlockKind.CONE and problem.moments[i] >= 0:
            error = six_row_error(problem, free, offset, r, i, six)
        else:
            error = block_error(problem, free, offset, r, i)
        if error > worst or error != error:
            worst = error
    return worst

"""One Gauss-Seidel sweep over typed blocks, and the natural map of an iterate."""

from __future__ import annotations

import math

from footfall.api.advanced import dot, natural_map_cone, project_cone, times_matrix
from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.local.choice import solve_contact


@inner
def row_velocity(problem, free, offset, r, i, a):
    """Return row a of block i of ``W r + free + offset``."""
    row, W = problem.row, problem.W
    u = free[row[i] + a] + offset[row[i] + a]
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j, w = problem.pair_block[p], problem.pair_data[p]
        c = row[j]
        if problem.kind[j] >= BlockKind.CONE:
            w += 3 * a
            u += W[w] * r[c]
            u += W[w + 1] * r[c + 1]
            u += W[w + 2] * r[c + 2]
        else:
            u += W[w + a] * r[c]
    return u


@inner
def pair_at(problem, i, j):
    """Return the start of W_ij in W, -1 if there is none; at once if all blocks are one group."""
    first, end = problem.pair_start[i], problem.pair_start[i + 1]
    if first + j < end and problem.pair_block[first + j] == j:
        return problem.pair_data[first + j]
    for p in range(first, end):
        if problem.pair_block[p] == j:
            return problem.pair_data[p]
    return -1


@inner
def largest_diagonal(problem, i):
    """Return the largest entry of the diagonal of W_ii, 0 if there is none."""
    rows, at, w = problem.row[i + 1] - problem.row[i], pair_at(problem, i, i), 0.0
    for a in range(rows if at >= 0 else 0):
        w = max(w, problem.W[at + a * rows + a])
    return w


@inner
def rows_of_block(problem, i, x):
    """Return the entries of a block's one or three rows, zeros for rows that it has not."""
    at = problem.row[i]
    if problem.row[i + 1] - at == 3:
        return x[at], x[at + 1], x[at + 2]
    return x[at], 0.0, 0.0


@inner
def cone_velocity(problem, free, offset, r, i):
    """Return a cone block's three rows of ``W r + free + offset``, and the start of W_ii in W."""
    row, W = problem.row, problem.W
    at, own = row[i], -1
    u0, u1, u2 = free[at] + offset[at], free[at + 1] + offset[at + 1], free[at + 2] + offset[at + 2]
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j, w = problem.pair_block[p], problem.pair_data[p]
        c = row[j]
        if j == i:
            own = w
        if problem.kind[j] >= BlockKind.CONE:
            r0, r1, r2 = r[c], r[c + 1], r[c + 2]
            u0 += W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2
            u1 += W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2
            u2 += W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2
        else:
            u0 += W[w] * r[c]
            u1 += W[w + 1] * r[c]
            u2 += W[w + 2] * r[c]
    return u0, u1, u2, own


@inner
def relax_cone(problem, r, i, u0, u1, u2, w, relaxation, way, space):
    """Solve one contact with the others fixed; return the change of its velocity, [m/s].

    ``u0, u1, u2, w``: see ``cone_velocity``.
    """
    at, W, mu = problem.row[i], problem.W, problem.mu[i]
    r0, r1, r2 = r[at], r[at + 1], r[at + 2]
    b0 = u0 - (W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2)
    b1 = u1 - (W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2)
    b2 = u2 - (W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2)
    s0, s1, s2 = solve_contact(way, W, w, b0, b1, b2, mu, r0, r1, r2, space)
    if relaxation != 1.0 and s2 > 0.0:
        s0 = r0 + relaxation * (s0 - r0)
        s1 = r1 + relaxation * (s1 - r1)
        s2 = r2 + relaxation * (s2 - r2)
        s0, s1, s2 = project_cone(s0, s1, s2, mu)
    r[at], r[at + 1], r[at + 2] = s0, s1, s2
    return max(W[w], W[w + 4], W[w + 8]) * max(abs(s0 - r0), abs(s1 - r1), abs(s2 - r2))


@inner
def relax_row(problem, r, i, u):
    """Solve one unilateral or box block of velocity u with the others fixed."""
    at, w = problem.row[i], problem.W[pair_at(problem, i, i)]
    if w <= 0.0:
        return 0.0
    low, high = 0.0, 1e300
    if problem.kind[i] == BlockKind.BOX:
        low, high = problem.lower[i], problem.upper[i]
    old = r[at]
    new = old - u / w
    r[at] = min(max(new, low), high)
    return w * abs(r[at] - old)


@inner
def sweep(problem, free, offset, r, relaxation, way, space):
    """Do one Gauss-Seidel sweep; return the largest change, [m/s]."""
    change = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] == BlockKind.CONE:
            u0, u1, u2, w = cone_velocity(problem, free, offset, r, i)
            moved = relax_cone(problem, r, i, u0, u1, u2, w, relaxation, way, space)
        else:
            moved = relax_row(problem, r, i, row_velocity(problem, free, offset, r, i, 0))
        change = max(change, moved)
    return change


@inner
def sweep_dense(problem, D, free, offset, r, relaxation, way, space):
    """Do one sweep with the matrix as a whole, D."""
    n = problem.size[ProblemSize.ROWS]
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, w = problem.row[i], pair_at(problem, i, i)
        u0 = free[at] + offset[at] + dot(D[at], r, 0, n)
        if problem.kind[i] == BlockKind.CONE:
            u1 = free[at + 1] + offset[at + 1] + dot(D[at + 1], r, 0, n)
            u2 = free[at + 2] + offset[at + 2] + dot(D[at + 2], r, 0, n)
            relax_cone(problem, r, i, u0, u1, u2, w, relaxation, way, space)
        else:
            relax_row(problem, r, i, u0)


@inner
def error_at(problem, i, r, u0, u1, u2, w):
    """Return the natural map of a block of velocity u, w > 0 its largest W_ii, [m/s]."""
    at = problem.row[i]
    if problem.kind[i] == BlockKind.CONE:
        return natural_map_cone(r[at], r[at + 1], r[at + 2], u0, u1, u2, problem.mu[i], w)
    low, high = 0.0, 1e300
    if problem.kind[i] == BlockKind.BOX:
        low, high = problem.lower[i], problem.upper[i]
    return w * abs(r[at] - min(max(r[at] - u0 / w, low), high))


@inner
def is_negative(problem, i):
    """Return whether a diagonal block has a negative entry on its diagonal."""
    rows, w = problem.row[i + 1] - problem.row[i], pair_at(problem, i, i)
    negative = False
    for a in range(rows):
        negative = negative or problem.W[w + a * (rows + 1)] < 0.0
    return negative


@inner
def block_error(problem, free, offset, r, i):
    """Return the natural-map residual of a block, [m/s]; NaN if its velocity is NaN.

    It is infinite if the diagonal of W_ii has no positive entry but a negative one.
    """
    w, u1, u2 = largest_diagonal(problem, i), 0.0, 0.0
    if w <= 0.0:
        return math.inf if is_negative(problem, i) else 0.0
    if problem.kind[i] == BlockKind.CONE:
        u0, u1, u2, _ = cone_velocity(problem, free, offset, r, i)
    else:
        u0 = row_velocity(problem, free, offset, r, i, 0)
    return error_at(problem, i, r, u0, u1, u2, w)


@inner
def error_by_velocity(problem, offset, r, u, i):
    """Return a block's natural map for the velocity u; infinite without a positive diagonal."""
    w = largest_diagonal(problem, i)
    if w <= 0.0:
        return math.inf
    u0, u1, u2 = rows_of_block(problem, i, u)
    b0, b1, b2 = rows_of_block(problem, i, offset)
    return error_at(problem, i, r, u0 + b0, u1 + b1, u2 + b2, w)


@routine
def natural_map_by_factor(problem, free, offset, r, work, f):
    """Return ``natural_map`` by a factor f of W, whose diagonal blocks are known.

    It is infinite if a block has no positive diagonal. ``work.velocity`` becomes ``W r + free``.
    """
    worst, u = 0.0, work.velocity
    if problem.in_product[0] == 1:
        for a in range(problem.size[ProblemSize.ROWS]):
            u[a] = free[a] + dot(work.D[a], r, 0, problem.size[ProblemSize.ROWS])
    else:
        times_matrix(
            *(problem, f.link, f.start, f.Z, f.span_start, f.span, f.link_tree, f.tree_v),
            *(r, work.y, free, u),
        )
    for i in range(problem.size[ProblemSize.BLOCKS]):
        error = error_by_velocity(problem, offset, r, u, i)
        if error > worst or error != error:
            worst = error
    return worst


@routine
def natural_map(problem, free, offset, r):
    """Return the largest residual of a block, [m/s]; NaN if one is NaN."""
    worst = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        error = block_error(problem, free, offset, r, i)
        if error > worst or error != error:
            worst = error
    return worst

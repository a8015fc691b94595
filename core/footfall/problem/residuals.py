"""Residuals of the contact laws, computed from any law's answer.

With u the velocity that the law targets, ``u = W r + free velocity + offset``, and
``rho = 1 / W_ii`` (the largest diagonal entry of the block).

A law at velocity level targets gaps that close, rebounds, and removal of penetration. For cones
and unilateral blocks this is the last row; other rows target a velocity of zero. A law is
free to target something else.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner
from footfall.problem.arrays import RESIDUALS, BlockKind, ProblemSize, Residual


@inner
def three_rows(problem, impulse, i, u):
    """Write ``W r + free velocity`` of a block of three rows."""
    row, W, free = problem.row, problem.W, problem.free_velocity
    first = row[i]
    u0, u1, u2 = free[first], free[first + 1], free[first + 2]
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j, w = problem.pair_block[p], problem.pair_data[p]
        c, columns = row[j], row[j + 1] - row[j]
        if columns == 3:
            r0, r1, r2 = impulse[c], impulse[c + 1], impulse[c + 2]
            u0 += W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2
            u1 += W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2
            u2 += W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2
            continue
        for k in range(columns):
            u0 += W[w + k] * impulse[c + k]
            u1 += W[w + columns + k] * impulse[c + k]
            u2 += W[w + 2 * columns + k] * impulse[c + k]
    u[first], u[first + 1], u[first + 2] = u0, u1, u2


@inner
def row_of_block(problem, impulse, i, a):
    """Return row a of block i of ``W r + free velocity``."""
    row, W = problem.row, problem.W
    u = problem.free_velocity[row[i] + a]
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j = problem.pair_block[p]
        c, columns = row[j], row[j + 1] - row[j]
        w = problem.pair_data[p] + a * columns
        s = W[w] * impulse[c]
        if columns > 1:
            for k in range(1, columns):
                s += W[w + k] * impulse[c + k]
        u += s
    return u


@inner
def target_velocity(problem, impulse, u):
    """Write ``W r + free velocity``, without the law's offset."""
    row = problem.row
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if row[i + 1] - row[i] == 3:
            three_rows(problem, impulse, i, u)
            continue
        for a in range(row[i + 1] - row[i]):
            u[row[i] + a] = row_of_block(problem, impulse, i, a)


@inner
def project_cone(x0, x1, xn, mu):
    """Return the projection of x on the cone ``|x_t| <= mu x_n``."""
    t = math.sqrt(x0 * x0 + x1 * x1)
    if mu * t <= -xn:  # first: below the apex of a cone with mu = 0, t <= mu x_n holds too
        return 0.0, 0.0, 0.0
    if t <= mu * xn:
        return x0, x1, xn
    n = (xn + mu * t) / (1.0 + mu * mu)
    s = mu * n / t
    return s * x0, s * x1, n


@inner
def largest_diagonal(problem, i):
    """Return the largest diagonal entry of the i-th diagonal block of W."""
    rows, end = problem.row[i + 1] - problem.row[i], problem.pair_start[i + 1]
    p, w = problem.pair_start[i] + i, 0.0
    if p >= end or problem.pair_block[p] != i:  # not all blocks are one group
        p = problem.pair_start[i]
        while p < end and problem.pair_block[p] != i:
            p += 1
    if p < end:
        for a in range(rows):
            w = max(w, problem.W[problem.pair_data[p] + a * rows + a])
    return w


@inner
def natural_map_cone(r0, r1, rn, u0, u1, un, mu, w):
    """Return ``|r - P_K(r - rho (u + mu |u_t| n))| / rho`` of one cone, [m/s].

    De Saxce's change of variable makes Coulomb's law a complementarity over the cone K
    (Acary and Brogliato 2008, section 13.2).
    """
    rho = 1.0 / w
    slip = mu * math.sqrt(u0 * u0 + u1 * u1)
    p0, p1, pn = project_cone(r0 - rho * u0, r1 - rho * u1, rn - rho * (un + slip), mu)
    return w * math.sqrt((r0 - p0) ** 2 + (r1 - p1) ** 2 + (rn - pn) ** 2)


@inner
def natural_map_row(problem, i, u, w):
    """Return the natural map of an equality ``|u|``, a unilateral or a box, [m/s]."""
    at, offset = problem.row[i], problem.offset
    if problem.kind[i] == BlockKind.EQUALITY:
        s = 0.0
        for k in range(at, problem.row[i + 1]):
            s += (u[k] + offset[k]) ** 2
        return math.sqrt(s)
    low, high = 0.0, 1e300
    if problem.kind[i] == BlockKind.BOX:
        low, high = problem.lower[i], problem.upper[i]
    r, v = problem.impulse[at], u[at] + offset[at]
    return w * abs(r - min(max(r - v / w, low), high))


@inner
def immobile_map(problem, i, u):
    """Return the velocity error of a block that no impulse moves, [m/s].

    The limit of the natural map for ``W_ii -> 0``: the approach speed, or an equality's velocity.
    Such a block is held by loops alone. Friction rows have no error.
    """
    last = problem.row[i + 1] - 1
    if problem.kind[i] == BlockKind.BOX:
        return 0.0
    if problem.kind[i] == BlockKind.EQUALITY:
        return natural_map_row(problem, i, u, 1.0)
    return max(0.0, -(u[last] + problem.offset[last]))


@inner
def tangent_row(problem, i, k):
    """Return the k-th of the five tangential rows of a cone with moments."""
    return problem.row[i] + k if k < 2 else problem.row[problem.moments[i]] + k - 2


@inner
def measure_cone(problem, i, u, w):
    """Return the terms of a cone's residuals.

    ``|r_t|``, ``|u_t|``, ``r_t . u_t``, natural map [m/s], distance to the cone [N s].
    """
    at, mu, impulse, offset = problem.row[i], problem.mu[i], problem.impulse, problem.offset
    r0, r1, rn = impulse[at], impulse[at + 1], impulse[at + 2]
    u0, u1, un = u[at] + offset[at], u[at + 1] + offset[at + 1], u[at + 2] + offset[at + 2]
    natural = natural_map_cone(r0, r1, rn, u0, u1, un, mu, w)
    p0, p1, pn = project_cone(r0, r1, rn, mu)
    away = math.sqrt((r0 - p0) ** 2 + (r1 - p1) ** 2 + (rn - pn) ** 2)
    r_t, u_t = math.sqrt(r0 * r0 + r1 * r1), math.sqrt(u0 * u0 + u1 * u1)
    return r_t, u_t, r0 * u0 + r1 * u1, natural, away


@inner
def measure_moments(problem, i, u):
    """Return the terms of ``measure_cone`` for a cone with moments: five tangential rows.

    Its projection is that of ``(|p_t|, p_n)``.
    """
    w = max(largest_diagonal(problem, i), largest_diagonal(problem, problem.moments[i]))
    normal, mu, impulse = problem.row[i] + 2, problem.mu[i], problem.impulse
    rn, un = impulse[normal], u[normal] + problem.offset[normal]
    rr, uu, ru, pp = 0.0, 0.0, 0.0, 0.0
    for k in range(5):
        a = tangent_row(problem, i, k)
        r, v = impulse[a], u[a] + problem.offset[a]
        rr, uu, ru, pp = rr + r * r, uu + v * v, ru + r * v, pp + (r - v / w) ** 2
    rt, ut, pt = math.sqrt(rr), math.sqrt(uu), math.sqrt(pp)
    s, _, pn = project_cone(pt, 0.0, rn - (un + mu * ut) / w, mu)
    kept, square = s / pt if pt > 0.0 else 0.0, (rn - pn) ** 2
    for k in range(5):
        a = tangent_row(problem, i, k)
        square += (impulse[a] - kept * (impulse[a] - (u[a] + problem.offset[a]) / w)) ** 2
    inside, _, low = project_cone(rt, 0.0, rn, mu)
    return rt, ut, ru, w * math.sqrt(square), math.sqrt((rt - inside) ** 2 + (rn - low) ** 2)


@inner
def measure(problem, u, residual):
    """Write each ``Residual`` of an answer: the largest over all blocks.

    A block that no impulse moves contributes its approach speed alone.
    """
    for k in range(RESIDUALS):
        residual[k] = 0.0
    impulse, offset = problem.impulse, problem.offset
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, w = problem.row[i], largest_diagonal(problem, i)
        if w <= 0.0:
            residual[Residual.NATURAL_MAP] = max(
                residual[Residual.NATURAL_MAP], immobile_map(problem, i, u)
            )
            continue
        if problem.kind[i] == BlockKind.MOMENT:
            continue  # measured with its cone
        if problem.kind[i] == BlockKind.CONE:
            if len(problem.moments) > 0 and problem.moments[i] >= 0:
                r_t, u_t, along, natural, away = measure_moments(problem, i, u)
            else:
                r_t, u_t, along, natural, away = measure_cone(problem, i, u, w)
            mu, rn, un = problem.mu[i], impulse[at + 2], u[at + 2] + offset[at + 2]
            residual[Residual.SIGNORINI] = max(residual[Residual.SIGNORINI], abs(rn * un))
            residual[Residual.DISSIPATION] = max(
                residual[Residual.DISSIPATION], abs((mu * rn - r_t) * u_t)
            )
            conic = abs(along + rn * (un + mu * u_t))
            residual[Residual.COMPLEMENTARITY] = max(residual[Residual.COMPLEMENTARITY], conic)
            residual[Residual.OUTSIDE_CONE] = max(residual[Residual.OUTSIDE_CONE], away)
        else:
            natural = natural_map_row(problem, i, u, w)
        residual[Residual.NATURAL_MAP] = max(residual[Residual.NATURAL_MAP], natural)

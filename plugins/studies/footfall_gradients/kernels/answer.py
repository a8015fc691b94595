"""The contact law's answer as a function of its problem: the implicit function theorem.

With the target velocity ``u = W r + b``, each contact is open (dr = 0), sticks (du = 0), or
slips along ``s = u_t / |u_t|``, with p perpendicular to it:

    dr = (-mu s, 1) alpha + (p, 0) beta - r_n (s, 0) dmu
    du_n = 0,   p . du_t + |u_t| / (mu r_n) beta = 0

in rows tangent, tangent, normal. Limits and friction of joints are open, hold, or slide at a bound
of dt times their friction, ``dr = +- d(dt f)``. Stacked,
``(R W E + D) y = -R (B + W c)`` and ``dr = E y + c``. B is the derivative of u at fixed r, so
that W itself is never differentiated; c is the part from dmu, df and ddt.

Where contacts are redundant, equations depend on each other: ``z' (R W E + D) = 0``. The answer
is then the canonical one, the limit for ``u = W r + b + e C r`` and e to zero. To order e the
velocity there is ``x + e x1``, ``R J x1 = -R C r``, and of the differentiated equations remains, in
place of a dependent one,

    z' R C (E y + c) = -z' R (dJ x1)

It determines how the load is shared, and so the motion if redundant contacts slip.
"""

from __future__ import annotations

import math
from enum import IntEnum

from footfall.api.contact import BlockKind
from footfall.api.kernels import inner


class Mode(IntEnum):
    """Modes of a block."""

    OPEN = 0
    """No impulse."""
    STICK = 1
    """No velocity."""
    SLIP = 2
    """The impulse is at its bound."""
    UNKNOWN = -1
    """Not found."""


class AnswerSize(IntEnum):
    """Places in ``Answer.size``."""

    UNKNOWNS = 0
    """Number of unknowns."""
    INDEPENDENT = 1
    """Number of independent ones."""
    SOLVED = 2
    """Number of equations after dependent ones have been replaced."""
    SLIPPING = 3
    """Number of slipping contacts with friction."""


RANK = 1e-10
"""Pivot, relative to the largest entry of its row, below which a row depends on the others."""


EDGE = 1e-9
"""Margin below which a block counts as open or slipping, [m/s]: the accuracy of an answer."""


@inner
def write_softness(p, a, blocks):
    """Write the largest diagonal entry of W of each block, and the diagonal of C.

    C has the harmonic mean of the normal entries for all contacts; rows of joints have their own.
    """
    total, count = 0.0, 0
    for b in range(blocks):
        f = p.row[b]
        a.weight[b] = a.soft[f] = a.W[f, f]
        if p.kind[b] == BlockKind.CONE:
            a.weight[b] = max(a.W[f, f], a.W[f + 1, f + 1], a.W[f + 2, f + 2])
            if a.weight[b] > 0.0:
                total += 1.0 / max(a.W[f + 2, f + 2], 1e-6 * a.weight[b])
                count += 1
    for b in range(blocks):
        if p.kind[b] == BlockKind.CONE and count > 0:
            for r in range(p.row[b], p.row[b + 1]):
                a.soft[r] = count / total


@inner
def find_mode(p, a, b):
    """Write mode and margin of block b."""
    f, r, u, w = p.row[b], a.impulse, a.target, a.weight[b]
    if p.kind[b] == BlockKind.CONE:
        closed, apart = w * r[f + 2], max(u[f + 2], 0.0)
        slip = math.hypot(u[f], u[f + 1])
        left = w * (p.mu[b] * r[f + 2] - math.hypot(r[f], r[f + 1]))
        if closed <= max(apart, EDGE):
            a.mode[b], a.margin[b] = Mode.OPEN, apart
        elif left <= max(slip, EDGE):  # without friction nothing sticks
            a.mode[b], a.margin[b] = Mode.SLIP, min(closed, slip if p.mu[b] > 0.0 else closed)
        else:
            a.mode[b], a.margin[b] = Mode.STICK, min(closed, left)
    elif p.kind[b] == BlockKind.UNILATERAL:
        closed, apart = w * r[f], max(u[f], 0.0)
        a.mode[b] = Mode.STICK if closed > max(apart, EDGE) else Mode.OPEN
        a.margin[b] = max(closed, apart)
    else:
        left, speed = w * min(r[f] - p.lower[b], p.upper[b] - r[f]), abs(u[f])
        a.mode[b] = Mode.STICK if left > max(speed, EDGE) else Mode.SLIP
        a.margin[b] = max(left, speed)


@inner
def enter(a, first, width, row):
    """Add an unknown of a block, and its equation, zero except in the row; return its place."""
    k = a.size[AnswerSize.UNKNOWNS]
    a.first[k], a.width[k], a.diagonal[k] = first, width, 0.0
    for i in range(3):
        a.column[k, i] = a.equation[k, i] = 0.0
    a.column[k, row] = a.equation[k, row] = 1.0
    a.size[AnswerSize.UNKNOWNS] = k + 1
    return k


@inner
def enter_slip(p, a, b):
    """Add the unknowns of a slipping contact; return its change with friction."""
    f, r, u, w, mu = p.row[b], a.impulse, a.target, a.weight[b], p.mu[b]
    normal, speed = r[f + 2], math.hypot(u[f], u[f + 1])
    s0, s1 = u[f] - w * r[f], u[f + 1] - w * r[f + 1]  # both are along s; the speed may be zero
    size = math.hypot(s0, s1)
    s0, s1 = (s0 / size, s1 / size) if size > 0.0 else (1.0, 0.0)
    k = enter(a, f, 3, 2)
    a.column[k, 0], a.column[k, 1] = -mu * s0, -mu * s1
    if mu > 0.0:
        k = enter(a, f, 3, 0)
        a.column[k, 0] = a.equation[k, 0] = -s1
        a.column[k, 1] = a.equation[k, 1] = s0
        a.diagonal[k] = speed / (mu * normal)
        a.size[AnswerSize.SLIPPING] += 1
    elif speed <= EDGE:  # friction from 0 on holds a contact at rest, and gives it no force
        return 0.0, 0.0
    return normal * s0, normal * s1


@inner
def enter_blocks(p, joint, given, blocks, rows, dt, holds, a):
    """Find modes, list the unknowns, and write c.

    ``joint``: joint row by block; ``dt``: time that joint friction acts, 0: none; ``holds``:
    whether all contacts stick, whatever their impulse.
    """
    write_softness(p, a, blocks)
    a.size[AnswerSize.UNKNOWNS] = a.size[AnswerSize.SLIPPING] = 0
    for i in range(rows):
        for k in range(a.given.shape[1]):
            a.given[i, k] = 0.0
    for b in range(blocks):
        find_mode(p, a, b)
        f = p.row[b]
        if holds:
            a.mode[b] = Mode.STICK if p.kind[b] == BlockKind.CONE else Mode.OPEN
            a.margin[b] = 1e300
        if a.mode[b] == Mode.STICK:
            width = p.row[b + 1] - f
            for i in range(width):
                enter(a, f, width, i)
        elif a.mode[b] == Mode.SLIP and p.kind[b] == BlockKind.CONE:
            c0, c1 = enter_slip(p, a, b)
            for k in range(given.friction.shape[1]):
                a.given[f, 1 + k] = -c0 * given.friction[p.candidate[b], k]
                a.given[f + 1, 1 + k] = -c1 * given.friction[p.candidate[b], k]
        elif a.mode[b] == Mode.SLIP and dt > 0.0:  # friction of a joint, dt times its bound
            a.given[f, 0] = a.impulse[f] / dt
            for k in range(given.bound.shape[1]):
                change = dt * given.bound[joint[b], k]
                a.given[f, 1 + k] = change if a.impulse[f] > 0.0 else -change


@inner
def write_matrix(a, rows):
    """Write ``R W E + D`` to ``solve``."""
    n = a.size[AnswerSize.UNKNOWNS]
    for j in range(n):
        for r in range(rows):
            a.WE[j, r] = 0.0
        for i in range(a.width[j]):
            e, at = a.column[j, i], a.first[j] + i
            if e != 0.0:
                for r in range(rows):
                    a.WE[j, r] += e * a.W[at, r]
    for k in range(n):
        for j in range(n):
            a.solve[k, j] = 0.0
        for i in range(a.width[k]):
            e, at = a.equation[k, i], a.first[k] + i
            if e != 0.0:
                for j in range(n):
                    a.solve[k, j] += e * a.WE[j, at]
        a.solve[k, k] += a.diagonal[k]


@inner
def eliminate(a, rank, n):
    """Factorise the equations from place ``rank`` on, with complete pivoting; return the new rank.

    Ends where pivots are below ``RANK``: those equations depend on the others.
    """
    T, P, Q = a.solve, a.pivot[0], a.pivot[1]
    best, row, column = 0.0, rank, rank
    for i in range(rank, n):
        for j in range(rank, n):
            if abs(T[P[i], Q[j]]) > best:
                best, row, column = abs(T[P[i], Q[j]]), i, j
    while rank < n and best > RANK:
        P[rank], P[row] = P[row], P[rank]
        Q[rank], Q[column] = Q[column], Q[rank]
        d, top = 1.0 / T[P[rank], Q[rank]], P[rank]
        best = 0.0
        for i in range(rank + 1, n):
            f = T[P[i], Q[rank]] * d
            T[P[i], Q[rank]] = f
            for j in range(rank + 1, n):
                s = T[P[i], Q[j]]
                if f != 0.0:
                    s -= f * T[top, Q[j]]
                    T[P[i], Q[j]] = s
                if abs(s) > best:
                    best, row, column = abs(s), i, j
        rank += 1
    return rank


@inner
def is_shared(a):
    """Return whether slipping contacts share a load as the canonical answer does."""
    return (
        a.size[AnswerSize.SLIPPING] > 0
        and a.size[AnswerSize.INDEPENDENT] < a.size[AnswerSize.UNKNOWNS]
    )


@inner
def replace(a, p, n):
    """Overwrite the dependent equation p by ``z' R C E y``, and write its z, by equations."""
    T, P, Q, z, g = a.solve, a.pivot[0], a.pivot[1], a.tie[p], a.rate
    rank, largest = a.size[AnswerSize.INDEPENDENT], 0.0
    for k in range(n):
        z[k] = g[k, 0] = 0.0
    z[p] = 1.0
    for j in range(rank - 1, -1, -1):
        s = T[p, Q[j]]
        for i in range(j + 1, rank):
            s += z[P[i]] * T[P[i], Q[j]]
        z[P[j]] = -s
    for k in range(n):
        z[k] *= a.scale[k]
        for j in range(n):
            if a.first[j] == a.first[k]:
                for c in range(a.width[k]):
                    g[j, 0] += z[k] * a.soft[a.first[k]] * a.equation[k, c] * a.column[j, c]
    for k in range(n):
        largest = max(largest, abs(g[k, 0]))
    d = 1.0 / largest if largest > 0.0 else 0.0
    for k in range(n):
        T[p, k], z[k] = d * g[k, 0], d * z[k]
    a.scale[p] = 1.0
    for j in range(rank):
        f = T[p, Q[j]] / T[P[j], Q[j]]
        T[p, Q[j]] = f
        for k in range(j + 1, n):
            T[p, Q[k]] -= f * T[P[j], Q[k]]


@inner
def factorise(a):
    """Overwrite ``solve`` with its factors, rows scaled first.

    If contacts slip, dependent equations are replaced. Those that remain are left out, and their
    unknowns are zero.
    """
    n, T = a.size[AnswerSize.UNKNOWNS], a.solve
    for i in range(n):
        size = 0.0
        for j in range(n):
            size = max(size, abs(T[i, j]))
        a.scale[i] = 1.0 / size if size > 0.0 else 0.0
        a.pivot[0, i] = a.pivot[1, i] = i
        for j in range(n):
            T[i, j] *= a.scale[i]
    rank = a.size[AnswerSize.INDEPENDENT] = eliminate(a, 0, n)
    if is_shared(a):
        for i in range(rank, n):
            replace(a, a.pivot[0, i], n)
        rank = eliminate(a, rank, n)
    a.size[AnswerSize.SOLVED] = rank


@inner
def solve_columns(a, right, y, columns):
    """Solve ``-(R W E + D) y = right``."""
    T, P, Q, rank = a.solve, a.pivot[0], a.pivot[1], a.size[AnswerSize.SOLVED]
    for k in range(a.size[AnswerSize.UNKNOWNS]):
        for c in range(columns):
            y[k, c] = 0.0
    for i in range(rank):
        for c in range(columns):
            y[Q[i], c] = -a.scale[P[i]] * right[P[i], c]
        for j in range(i):
            f = T[P[i], Q[j]]
            for c in range(columns):
                y[Q[i], c] -= f * y[Q[j], c]
    for i in range(rank - 1, -1, -1):
        d = 1.0 / T[P[i], Q[i]]
        for j in range(i + 1, rank):
            f = T[P[i], Q[j]]
            for c in range(columns):
                y[Q[i], c] -= f * y[Q[j], c]
        for c in range(columns):
            y[Q[i], c] *= d


@inner
def solve_left(a, nv):
    """Write minus ``left' (R W E + D)^-1``, transposed, to ``between``.

    Row p belongs to equation p; rows of equations that are left out are zero.
    """
    T, P, Q, rank, y = a.solve, a.pivot[0], a.pivot[1], a.size[AnswerSize.SOLVED], a.between
    for i in range(rank, a.size[AnswerSize.UNKNOWNS]):
        for c in range(nv):
            y[P[i], c] = 0.0
    for i in range(rank):
        for c in range(nv):
            y[P[i], c] = a.left[Q[i], c]
        for j in range(i):
            f = T[P[j], Q[i]]
            if f != 0.0:
                for c in range(nv):
                    y[P[i], c] -= f * y[P[j], c]
        d = 1.0 / T[P[i], Q[i]]
        for c in range(nv):
            y[P[i], c] *= d
    for i in range(rank - 1, -1, -1):
        for j in range(i + 1, rank):
            f = T[P[j], Q[i]]
            if f != 0.0:
                for c in range(nv):
                    y[P[i], c] -= f * y[P[j], c]
    for i in range(rank):
        for c in range(nv):
            y[P[i], c] *= -a.scale[P[i]]


@inner
def soft_rates(a):
    """Write the rates of the unknowns with e that move the velocity by ``x1``, to ``rate``."""
    for k in range(a.size[AnswerSize.UNKNOWNS]):
        a.load[k, 0] = 0.0
    for i in range(a.size[AnswerSize.INDEPENDENT]):
        k = a.pivot[0, i]
        for r in range(a.first[k], a.first[k] + a.width[k]):
            a.load[k, 0] += a.equation[k, r - a.first[k]] * a.soft[r] * a.impulse[r]
    solve_columns(a, a.load, a.rate, 1)


@inner
def write_sides(a, rows, nv, columns):
    """Write ``right`` and ``left``, and the direct effect of c."""
    given = a.given.shape[1]
    for i in range(nv):
        for k in range(given):
            a.moved[i, k] = 0.0
    for r in range(rows):
        for k in range(given):
            c = a.given[r, k]
            if c != 0.0:
                for i in range(rows):
                    a.held[i, nv + k] += a.W[i, r] * c
                for i in range(nv):
                    a.moved[i, k] += a.JM[r, i] * c
    for k in range(a.size[AnswerSize.UNKNOWNS]):
        for i in range(nv):
            a.left[k, i] = a.right[k, i] = 0.0
        for i in range(columns):
            a.right[k, nv + i] = 0.0
        for i in range(a.width[k]):
            r, e, f = a.first[k] + i, a.column[k, i], a.equation[k, i]
            if e != 0.0:
                for j in range(nv):
                    a.left[k, j] += e * a.JM[r, j]
            if f != 0.0:
                for j in range(nv):
                    a.right[k, j] += f * a.JM[r, j]
                for j in range(columns):
                    a.right[k, nv + j] += f * a.held[r, j]


@inner
def respond(p, joint, given, a, nv, blocks, rows, columns, dt, holds):
    """Compute the response of the answer to changes, from JM, W, target and ``held``.

    ``columns``: number of columns of ``held``; ``dt``, ``holds``: as in ``enter_blocks``.
    """
    enter_blocks(p, joint, given, blocks, rows, dt, holds, a)
    write_matrix(a, rows)
    factorise(a)
    write_sides(a, rows, nv, columns)


@inner
def add_multiplier(a, k, s, out):
    """Add s times equation k to multipliers of the rows."""
    for c in range(a.width[k]):
        out[a.first[k] + c] += a.equation[k, c] * s


@inner
def solve_transposed(a):
    """Write ``R' s`` to ``held``, with ``-(R W E + D)' s = E' seen``; overwrites ``seen``.

    Where a dependent equation has been replaced, ``R' z s`` goes to ``shared``.
    """
    n, T, P, Q = a.size[AnswerSize.UNKNOWNS], a.solve, a.pivot[0], a.pivot[1]
    rank = a.size[AnswerSize.SOLVED]
    for k in range(n):
        s = 0.0
        for i in range(a.width[k]):
            s += a.column[k, i] * a.seen[a.first[k] + i]
        a.known[k] = s
    for i in range(rank):
        s = a.known[Q[i]]
        for j in range(i):
            s -= T[P[j], Q[i]] * a.seen[j]
        a.seen[i] = s / T[P[i], Q[i]]
    for i in range(rank - 1, -1, -1):
        s = a.seen[i]
        for j in range(i + 1, rank):
            s -= T[P[j], Q[i]] * a.seen[j]
        a.seen[i], p = s, P[i]
        if i < a.size[AnswerSize.INDEPENDENT]:
            add_multiplier(a, p, -s * a.scale[p], a.held)
        else:
            for k in range(n):
                add_multiplier(a, k, -s * a.scale[p] * a.tie[p, k], a.shared)

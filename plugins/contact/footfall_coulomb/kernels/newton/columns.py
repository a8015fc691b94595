"""A Newton step in the columns of a factor ``W = Z Z'``: ``kernels.newton.rows`` for many contacts.

Each block answers a change of its velocity by itself, ``dr = -c - M du``. With ``dy = Z' dr`` this
is one system in the columns, ``(1 + Z' M Z) dy = -Z' c``: of 42 of them for 132 rows of a palm.
"""

from __future__ import annotations

import math

from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.system import (
    solve_system,
    times_factor,
    times_transposed,
    write_system,
)


@inner
def respond_row(problem, low, i, r, u, e):
    """Write c and M of block i, which has one row; see ``respond``."""
    at, w, least, high = problem.row[i], low.weight[i], 0.0, 1e300
    if problem.kind[i] == BlockKind.BOX:
        least, high = problem.lower[i], problem.upper[i]
    y = r[at] - u[at] / w
    low.trial[at] = r[at] - least if y < least else r[at] - high if y > high else u[at] / e
    low.M[i, 0] = 0.0 if y < least or y > high else 1.0 / e


@inner
def respond_slipping(M, c, at, r, y0, y1, size, mu, yn, un, w, e):
    """Write c and M of a slipping contact; see ``respond``.

    With ``h = y_t / |y_t|``, ``R = mu y_n``, ``G = R / |y_t| (1 - h h')`` and
    ``T = 1 - G (1 - e / w)``:
    ``c_t = T^-1 (r_t - R h + mu h (1 - e / w) u_n / e)`` and ``M_t = T^-1 [G / w, mu h / e]``.
    """
    h0, h1, radius = y0 / size, y1 / size, mu * yn
    q, part = radius / size, 1.0 - e / w
    g00, g01, g11 = q * (1.0 - h0 * h0), -q * h0 * h1, q * (1.0 - h1 * h1)
    t00, t01, t11 = 1.0 - part * g00, -part * g01, 1.0 - part * g11
    det = t00 * t11 - t01 * t01
    i00, i01, i11 = t11 / det, -t01 / det, t00 / det
    push = mu * part * un / e
    f0, f1 = r[at] - radius * h0 + h0 * push, r[at + 1] - radius * h1 + h1 * push
    c[at], c[at + 1] = i00 * f0 + i01 * f1, i01 * f0 + i11 * f1
    k = mu / e
    M[0], M[1] = (i00 * g00 + i01 * g01) / w, (i00 * g01 + i01 * g11) / w
    M[3], M[4] = (i01 * g00 + i11 * g01) / w, (i01 * g01 + i11 * g11) / w
    M[2], M[5] = k * (i00 * h0 + i01 * h1), k * (i01 * h0 + i11 * h1)


@inner
def respond(problem, low, r, u, softness):
    """Write c and M of ``dr = -c - M du`` of every block, from its rows of ``F + dF = 0``.

    With the proximal term these rows are ``A dr + B (du + e dr) = -F``. c goes to ``low.trial``.
    """
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, w, M, c = problem.row[i], low.weight[i], low.M[i], low.trial
        e = softness * low.soft[i]
        for k in range(9):
            M[k] = 0.0
        last = problem.row[i + 1] - 1
        if w <= 0.0 or (problem.kind[i] == BlockKind.CONE and r[last] - u[last] / w <= 0.0):
            for a in range(at, last + 1):
                c[a] = r[a]
            continue
        if problem.kind[i] != BlockKind.CONE:
            respond_row(problem, low, i, r, u, e)
            continue
        yn = r[last] - u[last] / w
        c[at + 2], M[8] = u[at + 2] / e, 1.0 / e
        y0, y1 = r[at] - u[at] / w, r[at + 1] - u[at + 1] / w
        size = math.sqrt(y0 * y0 + y1 * y1)
        if size <= problem.mu[i] * yn:
            c[at], c[at + 1] = u[at] / e, u[at + 1] / e
            M[0], M[4] = 1.0 / e, 1.0 / e
        else:
            mu = problem.mu[i]
            respond_slipping(M, c, at, r, y0, y1, size, mu, yn, u[at + 2], w, e)


@routine
def step_in_columns(problem, r, softness, low, columns):
    """Do a Newton step in the columns of a factor, for the velocities ``low.u``.

    With ``dr = -c - M Z dy``, ``dy = Z' dr``: ``(1 + Z' M Z) dy = -Z' c``. Contacts give way by
    ``softness`` times ``low.soft``. Return False if the system is singular.
    """
    d, du = low.d, low.du
    respond(problem, low, r, low.u, softness)
    times_transposed(problem, low, columns, low.trial, d)
    write_system(problem, low)
    if not solve_system(low, d):
        return False
    times_factor(problem, low, d, du)  # d is -dy: it was solved for c, not for -c
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, M = problem.row[i], low.M[i]
        if problem.kind[i] != BlockKind.CONE:
            r[at] -= low.trial[at] - M[0] * du[at]
            continue
        for a in range(3):
            s = low.trial[at + a]
            for b in range(3):
                s -= M[3 * a + b] * du[at + b]
            r[at + a] -= s
    return True

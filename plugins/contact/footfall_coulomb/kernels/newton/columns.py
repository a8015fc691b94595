"""A Newton step in the columns of a factor ``W = Z Z'``: ``kernels.newton.rows`` for many contacts.

Each block answers a change of its velocity by itself, ``dr = -c - M du``. With ``dy = Z' dr`` this
is one system in the columns, ``(1 + Z' M Z) dy = -Z' c``: of 42 of them for 132 rows of a palm.
"""

from __future__ import annotations

from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.rows import slip_terms
from footfall_coulomb.kernels.newton.system import (
    factor_system,
    solve_system,
    times_factor,
    times_transposed,
    write_system,
)
from footfall_coulomb.workspace import BlockState


@inner
def respond_slipping(problem, low, i, r, u, e):
    """Write M of a slipping contact; see ``step_in_columns``.

    With ``h = y_t / |y_t|``, ``R = mu y_n``, ``G = R / |y_t| (1 - h h')`` and
    ``T = 1 - G (1 - e / w)``: ``M_t = T^-1 [G / w, mu h / e]``.
    """
    M, w, k = low.M[i], low.weight[i], problem.mu[i] / e
    h0, h1, q, _ = slip_terms(problem, low, r, u, i)
    g00, g01, g11, part = q * (1.0 - h0 * h0), -q * h0 * h1, q * (1.0 - h1 * h1), 1.0 - e / w
    t00, t01, t11 = 1.0 - part * g00, -part * g01, 1.0 - part * g11
    det = t00 * t11 - t01 * t01
    i00, i01, i11 = t11 / det, -t01 / det, t00 / det
    M[0], M[1] = (i00 * g00 + i01 * g01) / w, (i00 * g01 + i01 * g11) / w
    M[3], M[4] = (i01 * g00 + i11 * g01) / w, (i01 * g01 + i11 * g11) / w
    M[2], M[5] = k * (i00 * h0 + i01 * h1), k * (i01 * h0 + i11 * h1)


@inner
def respond(problem, low, r, u, softness):
    """Write M of every block for its state, from its rows of ``F + dF = 0``.

    With the proximal term these rows are ``A dr + B (du + e dr) = -F``.
    """
    for i in range(problem.size[ProblemSize.BLOCKS]):
        M, e, rows = low.M[i], softness * low.soft[i], problem.row[i + 1] - problem.row[i]
        for k in range(9):
            M[k] = 0.0
        if low.state[i] == BlockState.SLIPS:
            M[8] = 1.0 / e
            respond_slipping(problem, low, i, r, u, e)
        elif low.state[i] == BlockState.FREE:
            for a in range(rows):
                M[4 * a] = 1.0 / e


@inner
def write_constants(problem, low, r, u, softness):
    """Write c of every block to ``low.trial``, where ``find_states`` left what is given.

    ``T^-1 = 1 + (w - e) M_tt`` of a slipping contact, see ``respond_slipping``.
    """
    c = low.trial
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, end, M = problem.row[i], problem.row[i + 1], low.M[i]
        if low.state[i] == BlockState.FREE:
            for a in range(at, end):
                c[a] = M[0] * u[a]
        elif low.state[i] == BlockState.SLIPS:
            w, e = low.weight[i], softness * low.soft[i]
            h0, h1, _, radius = slip_terms(problem, low, r, u, i)
            f0, f1, push = r[at] - radius * h0, r[at + 1] - radius * h1, (1.0 - e / w) * u[at + 2]
            c[at] = f0 + (w - e) * (M[0] * f0 + M[1] * f1) + push * M[2]
            c[at + 1] = f1 + (w - e) * (M[3] * f0 + M[4] * f1) + push * M[5]
            c[at + 2] = M[8] * u[at + 2]
        else:
            for a in range(at, end):
                c[a] = -c[a]


@routine
def step_in_columns(problem, r, softness, chord, low, columns):
    """Do a Newton step in the columns of a factor, for the velocities ``low.u``.

    With ``dr = -c - M Z dy``, ``dy = Z' dr``: ``(1 + Z' M Z) dy = -Z' c``. Contacts give way by
    ``softness`` times ``low.soft``. ``chord``: take the last step's matrix, which had the same
    states. Return False if the system is singular.
    """
    d, du = low.d, low.du
    if not chord:
        respond(problem, low, r, low.u, softness)
    write_constants(problem, low, r, low.u, softness)
    times_transposed(problem, low, columns, low.trial, d)
    if not chord:
        write_system(problem, low)
        if not factor_system(low):
            return False
    solve_system(low, d)
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

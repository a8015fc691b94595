"""The contact law's answer as a function of its problem: the implicit function theorem.

With the target velocity ``u = W r + b`` at hand, each contact is open (dr = 0), sticks (du = 0), or
slips along ``s = u_t / |u_t|``, with p across it:

    dr = (-mu s, 1) alpha + (p, 0) beta - r_n (s, 0) dmu
    du_n = 0,   p . du_t + |u_t| / (mu r_n) beta = 0

in rows tangent, tangent, normal. Limits and friction of joints are open or hold. Stacked,
``(R W E + D) y = -R (B + W c)`` and ``dr = E y + c``, with B the derivative of u at fixed r, so
that W itself is never differentiated, and c what dmu and other parameters give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.api.contact import BlockKind
from footfall.api.plugin import Floats, Ints

OPEN, STICK, SLIP = 0, 1, 2
RANK = 1e-10
"""Relative size of what counts as dependent among the rows of redundant contacts."""


@dataclass(frozen=True)
class Modes:
    """In which mode each block is, and how near it is to another.

    Attributes:
        mode: shape (blocks,), 0 open, 1 stick (or held), 2 slip (or sliding at its bound).
        margin: shape (blocks,), change of the velocity or of the impulse, times the block's own W,
            that would change the mode, [m/s or rad/s].
    """

    mode: Ints
    margin: Floats


def cone_mode(r: Floats, u: Floats, mu: float, w: float) -> tuple[int, float]:
    """Return mode and margin of a contact with the impulse r and the target velocity u."""
    closed, apart = w * r[2], max(u[2], 0.0)
    if closed <= apart:
        return OPEN, float(apart)
    slip, left = float(np.hypot(u[0], u[1])), w * (mu * r[2] - float(np.hypot(r[0], r[1])))
    if slip >= left:
        # Without friction there is nothing to stick by.
        return SLIP, float(min(closed, slip if mu > 0.0 else closed))
    return STICK, float(min(closed, left))


def row_mode(kind: int, r: float, u: float, bounds: Floats, w: float) -> tuple[int, float]:
    """Return mode and margin of a limit or a joint's friction."""
    if kind == BlockKind.UNILATERAL:
        closed, apart = w * r, max(u, 0.0)
        return (STICK, closed) if closed > apart else (OPEN, apart)
    left = w * min(r - bounds[0], bounds[1] - r)
    return (STICK, left) if left > abs(u) else (SLIP, abs(u))


def find_modes(problem: Any, impulse: Floats, u: Floats, W: Floats) -> Modes:
    """Return the modes of all blocks."""
    mode, margin = np.zeros(len(problem.kind), np.int64), np.zeros(len(problem.kind))
    for b, kind in enumerate(problem.kind):
        at = slice(problem.row[b], problem.row[b + 1])
        w = float(np.diagonal(W)[at].max())
        if kind == BlockKind.CONE:
            mode[b], margin[b] = cone_mode(impulse[at], u[at], float(problem.mu[b]), w)
        else:
            bounds = np.array([problem.lower[b], problem.upper[b]])
            r, speed = float(impulse[at.start]), float(u[at.start])
            mode[b], margin[b] = row_mode(int(kind), r, speed, bounds, w)
    return Modes(mode, margin)


def respond(
    problem: Any, modes: Modes, impulse: Floats, u: Floats, W: Floats, B: Floats, own: Floats
) -> Floats:
    """Return the derivative of the impulse, shape (rows, directions).

    Args:
        problem: its blocks.
        modes: of the blocks.
        impulse: shape (rows,).
        u: shape (rows,), target velocity.
        W: shape (rows, rows).
        B: shape (rows, directions), derivative of u at fixed impulse.
        own: shape (blocks, directions), derivative of the coefficient of friction of contacts, or
            of the bound that a joint's friction has reached.
    """
    rows, given = len(impulse), np.zeros_like(B)
    E, R, D = list[Floats](), list[Floats](), list[float]()

    def add(columns: Floats, line: Floats, diagonal: float) -> None:
        E.append(columns)
        R.append(line)
        D.append(diagonal)

    def unit(row: int) -> Floats:
        e = np.zeros(rows)
        e[row] = 1.0
        return e

    for b, kind in enumerate(problem.kind):
        first, last = int(problem.row[b]), int(problem.row[b + 1])
        if modes.mode[b] == STICK:
            for row in range(first, last):
                add(unit(row), unit(row), 0.0)
        elif modes.mode[b] == SLIP and kind == BlockKind.CONE:
            mu, r_n = float(problem.mu[b]), float(impulse[first + 2])
            speed = float(np.hypot(u[first], u[first + 1]))
            s = u[first : first + 2] / speed if speed > 0.0 else np.array([1.0, 0.0])
            along, across = np.zeros(rows), np.zeros(rows)
            along[first : first + 2], along[first + 2] = -mu * s, 1.0
            across[first], across[first + 1] = -s[1], s[0]
            add(along, unit(first + 2), 0.0)
            if mu > 0.0:
                add(across, across, speed / (mu * r_n))
            given[first : first + 2] -= r_n * np.outer(s, own[b])
        elif modes.mode[b] == SLIP:
            given[first] += own[b] * np.sign(impulse[first])
    if not E:
        return given
    columns, lines = np.array(E).T, np.array(R)
    A = lines @ W @ columns + np.diag(D)
    y = solve_redundant(A, -lines @ (B + W @ given))
    found: Floats = columns @ y + given
    return found


def solve_redundant(A: Floats, right: Floats) -> Floats:
    """Solve ``A y = right`` where rows may depend on each other; y is the least such."""
    from scipy.linalg import lapack

    n = len(A)
    work, _ = lapack.dgelsy_lwork(n, n, right.shape[1], RANK)
    pivots = np.zeros(n, np.int32)
    _, y, _, _, _ = lapack.dgelsy(A, right, pivots, RANK, int(work))
    found: Floats = y
    return found

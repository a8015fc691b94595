"""Dense problems of contacts, and the projections of their laws.

With ``y = r - u / w``, w the largest diagonal entry of a contact's block of W, an impulse is an
answer if ``r = P(y)``: P is the projection on the cone, or that of Alart and Curnier (1991) for
Coulomb's law.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.jit.compiling import inner, routine
from footfall.jit.tables import allocated
from footfall.typing import Floats1, Floats2, Ints1

EPS = 4e-16
"""Rounding of ``W r``, relative to its terms."""


class ConeLaw(IntEnum):
    """Laws of contacts."""

    COULOMB = 0
    """``0 <= r_n - lower  perp  u_n >= 0``, and friction up to ``mu r_n`` against the slip."""
    CONE = 1
    """Least ``r'Wr / 2 + b'r`` over round cones: u in their dual, at right angles to r."""
    PYRAMID = 2
    """The same over pyramids with the sides ``directions``."""


class ConeState(IntEnum):
    """States of a contact; further ones are faces and edges of a pyramid."""

    OPEN = 0
    STICKS = 1
    SLIPS = 2


class Cones(NamedTuple):
    """A dense problem of contacts; there may be room for more than the problem has.

    Attributes:
        law: shape (1,), a ``ConeLaw``; convex: shape (1,), 1 if the problem is convex, else 0.
        W: shape (rows, rows), symmetric positive semidefinite; b: shape (rows,).
        mu, lower: shape (contacts,), coefficient of friction, least normal impulse.
        directions: shape (sides, 2), unit normals of a pyramid's sides.
        r: shape (rows,), start and answer.
        state: shape (contacts,), a ``ConeState``; pivot: shape (rows,); scratch as all below.
        D: shape (contacts, 9), derivative of the projection; J: shape (rows, rows).
        weight, soft: shape (contacts,), w, and what a contact gives way by over a small number.
        P: shape (contacts, 3), projections.
        u, F, anchor, given, best, kept: shape (rows,).
    """

    law: Ints1
    convex: Ints1
    W: Floats2
    b: Floats1
    mu: Floats1
    lower: Floats1
    directions: Floats2
    r: Floats1
    state: Ints1
    pivot: Ints1
    D: Floats2
    J: Floats2
    weight: Floats1
    soft: Floats1
    u: Floats1
    F: Floats1
    P: Floats2
    anchor: Floats1
    given: Floats1
    best: Floats1
    kept: Floats1

    @classmethod
    def allocate(
        cls, law: Literal["coulomb", "cone", "pyramid"], contacts: int, **given: Any
    ) -> Cones:
        """Allocate the arrays that are not given for a number of contacts, see ``ConeLaw``."""
        n = 3 * contacts
        rows = dict.fromkeys(("b", "r", "pivot", "u", "F", "anchor", "given", "best", "kept"), n)
        shapes = {"W": (n, n), "J": (n, n), "D": (contacts, 9), "directions": (0, 2)}
        laws = {"law": np.array([ConeLaw[law.upper()]]), "convex": 1}
        return allocated(cls, contacts, **rows | shapes | laws | given)


@inner
def scaled_identity(D, q):
    """Write q times the unit matrix."""
    for k in range(9):
        D[k] = q if k % 4 == 0 else 0.0


@inner
def project_coulomb(D, P, mu, lower, y0, y1, yn):
    """Write Alart and Curnier's projection and its derivative; return the state."""
    pressed = yn > lower
    radius, size = mu * max(yn, lower), math.sqrt(y0 * y0 + y1 * y1)
    if size <= radius and pressed:
        scaled_identity(D, 1.0)
        P[0], P[1], P[2] = y0, y1, yn
        return ConeState.STICKS
    scaled_identity(D, 0.0)
    P[0], P[1], P[2] = 0.0, 0.0, max(yn, lower)
    D[8] = 1.0 if pressed else 0.0
    if radius <= 0.0 and not pressed:
        return ConeState.OPEN
    q = 1.0
    if size <= radius:
        D[0] = D[4] = 1.0
    else:
        h0, h1, q = y0 / size, y1 / size, radius / size
        D[0], D[1] = q * (1.0 - h0 * h0), -q * h0 * h1
        D[3], D[4] = D[1], q * (1.0 - h1 * h1)
        D[2], D[5] = mu * h0 * D[8], mu * h1 * D[8]
    P[0], P[1] = q * y0, q * y1
    return ConeState.SLIPS


@inner
def project_round(D, P, mu, y0, y1, yn):
    """Write the projection on the round cone and its derivative; return the state."""
    size = math.sqrt(y0 * y0 + y1 * y1)
    if mu * size <= -yn:  # first: see ``project_cone``
        scaled_identity(D, 0.0)
        P[0] = P[1] = P[2] = 0.0
        return ConeState.OPEN
    if size <= mu * yn:
        scaled_identity(D, 1.0)
        P[0], P[1], P[2] = y0, y1, yn
        return ConeState.STICKS
    n, h0, h1 = (yn + mu * size) / (1.0 + mu * mu), y0 / size, y1 / size
    a, q = mu * mu / (1.0 + mu * mu), mu * n / size
    D[0], D[1] = a * h0 * h0 + q * h1 * h1, (a - q) * h0 * h1
    D[3], D[4] = D[1], a * h1 * h1 + q * h0 * h0
    D[2] = D[6] = mu * h0 / (1.0 + mu * mu)
    D[5] = D[7] = mu * h1 / (1.0 + mu * mu)
    D[8] = 1.0 / (1.0 + mu * mu)
    P[0], P[1], P[2] = mu * n * h0, mu * n * h1, n
    return ConeState.SLIPS


@inner
def project_pyramid(D, P, mu, directions, y0, y1, yn):
    """Write the projection on the pyramid and its derivative; return the state.

    By symmetry the nearest point is on the side k that the tangent part points to, or on the edge
    that this side shares with the neighbour on the side of the tangent part.
    """
    sides, side, reach = len(directions), 0, -math.inf
    for k in range(sides):
        along = directions[k, 0] * y0 + directions[k, 1] * y1
        if along > reach:
            side, reach = k, along
    d0, d1 = directions[side, 0], directions[side, 1]
    across, half = d0 * y1 - d1 * y0, math.tan(math.pi / sides)
    state = ConeState.STICKS
    scaled_identity(D, 1.0)
    if reach > mu * yn:
        beyond = (reach - mu * yn) / (1.0 + mu * mu)
        x0, x1, x2, unit = d0, d1, -mu, -1.0 / (1.0 + mu * mu)
        state = ConeState.SLIPS + side
        if abs(across) >= (reach - beyond) * half:
            half = half if across > 0.0 else -half
            x0, x1, x2 = mu * (d0 - half * d1), mu * (d1 + half * d0), 1.0
            unit = 1.0 / (x0 * x0 + x1 * x1 + 1.0)
            state = ConeState.SLIPS + sides + (side if half > 0.0 else (side - 1) % sides)
            if x0 * y0 + x1 * y1 + yn <= 0.0:
                unit, state = 0.0, ConeState.OPEN
            scaled_identity(D, 0.0)
        D[0], D[4], D[8] = D[0] + unit * x0 * x0, D[4] + unit * x1 * x1, D[8] + unit * x2 * x2
        D[1] = D[3] = unit * x0 * x1
        D[2] = D[6] = unit * x0 * x2
        D[5] = D[7] = unit * x1 * x2
    for a in range(3):
        P[a] = D[3 * a] * y0 + D[3 * a + 1] * y1 + D[3 * a + 2] * yn
    return state


@inner
def project(c, i, y0, y1, yn):
    """Write the projection of a contact and its derivative; return the state."""
    D, P = c.D[i], c.P[i]
    if c.law[0] == ConeLaw.COULOMB:
        return project_coulomb(D, P, c.mu[i], c.lower[i], y0, y1, yn)
    if c.law[0] == ConeLaw.CONE:
        return project_round(D, P, c.mu[i], y0, y1, yn)
    return project_pyramid(D, P, c.mu[i], c.directions, y0, y1, yn)


@routine
def find_states(c, contacts):
    """Write states, projections and F for the velocities ``c.u``.

    Return the largest F, [m/s], and whether a state has changed.
    """
    worst, changed, r, u = 0.0, False, c.r, c.u
    for i in range(contacts):
        w, at, before = c.weight[i], 3 * i, c.state[i]
        if w > 0.0:
            c.state[i] = project(
                c, i, r[at] - u[at] / w, r[at + 1] - u[at + 1] / w, r[at + 2] - u[at + 2] / w
            )
        else:  # no impulse moves it
            w, c.state[i] = 1.0, ConeState.OPEN
            scaled_identity(c.D[i], 0.0)
            c.P[i, 0] = c.P[i, 1] = c.P[i, 2] = 0.0
        changed = changed or c.state[i] != before
        for a in range(3):
            c.F[at + a] = w * (r[at + a] - c.P[i, a])
            if not abs(c.F[at + a]) <= worst:
                worst = abs(c.F[at + a])
    return worst, changed


@routine
def write_velocity(c, contacts, e):
    """Write ``W r + b + e (r - a)`` to ``c.u``; return its rounding, [m/s]."""
    n, u, size, largest = 3 * contacts, c.u, 0.0, 0.0
    for i in range(contacts):
        own = e * c.soft[i]
        for a in range(3 * i, 3 * i + 3):
            u[a] = c.b[a] + own * (c.r[a] - c.anchor[a])
            largest = max(largest, abs(c.b[a]))
    for b in range(n):
        row, f = c.W[b], c.r[b]
        if f != 0.0:
            size += math.sqrt(max(row[b], 0.0)) * abs(f)
            for a in range(n):
                u[a] += row[a] * f
    most = 0.0
    for i in range(contacts):
        most = max(most, c.weight[i])
    return EPS * (math.sqrt(most) * size + largest)


@inner
def give_way(c, contacts, e):
    """Return the largest ``e (r - a)``, [m/s]."""
    most = 0.0
    for i in range(contacts):
        for a in range(3 * i, 3 * i + 3):
            most = max(most, e * c.soft[i] * abs(c.r[a] - c.anchor[a]))
    return most


@inner
def into_cones(c, contacts):
    """Remove what rounding leaves outside the round cones; pyramids are left as they are."""
    for i in range(contacts):
        at = 3 * i
        c.r[at + 2] = max(c.r[at + 2], c.lower[i])
        size, radius = math.hypot(c.r[at], c.r[at + 1]), c.mu[i] * c.r[at + 2]
        if size > radius and c.law[0] != ConeLaw.PYRAMID:
            c.r[at], c.r[at + 1] = c.r[at] * (radius / size), c.r[at + 1] * (radius / size)


@inner
def copy(given, out, contacts):
    """Copy the rows of the contacts."""
    for a in range(3 * contacts):
        out[a] = given[a]


@inner
def weigh(c, contacts):
    """Write the contacts' w, the largest diagonal entry of their blocks, and ``c.convex``.

    Without friction Coulomb's law is convex.
    """
    c.convex[0] = 1
    for i in range(contacts):
        if c.law[0] == ConeLaw.COULOMB and c.mu[i] > 0.0:
            c.convex[0] = 0
        at = 3 * i
        c.weight[i] = max(c.W[at, at], c.W[at + 1, at + 1], c.W[at + 2, at + 2])


@inner
def give_equal_way(c, contacts):
    """Write what contacts give way by: the harmonic mean of their W_nn; 0 if they cannot move."""
    total, count = 0.0, 0
    for i in range(contacts):
        if c.weight[i] > 0.0:
            total += 1.0 / max(c.W[3 * i + 2, 3 * i + 2], 1e-6 * c.weight[i])
            count += 1
    for i in range(contacts):
        c.soft[i] = count / total if c.weight[i] > 0.0 else 0.0

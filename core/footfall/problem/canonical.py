"""The canonical answer of dense contact problems: the limit of equal compliances that vanish.

Where contacts are redundant (four points of a flat foot) a problem has a family of exact answers.
Of these the canonical one has every contact give way along its normal and both tangents by the same
compliance, which goes to zero:

``u = W r + b + e (r - a)``, e a small part of the harmonic mean of W_nn, with the anchor a = 0.

Of a convex problem it is the exact answer of least norm. Newton's method on
``F = r - P(r - u / w)``, P the projection that belongs to the law and w the largest diagonal entry
of a contact's block of W, finds it for ``e = SOFTNESS``. Proximal steps, in which the last answer
is the anchor, then take away what e has left: they change no part of r that moves nothing (Tikhonov
1963; Rockafellar, "Monotone operators and the proximal point algorithm", SIAM J. Control Optim. 14,
1976). Rounding leaves about 1e-9 of the impulses.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from footfall.jit.compiling import inner, routine
from footfall.jit.tables import allocated
from footfall.typing import Floats1, Floats2, Ints1

SOFTNESS, STIFFEST, STIFFER = 1e-7, 1e-11, 0.1
"""e, relative to the mean W_nn; the smallest that is tried where b asks for velocities that no
motion has; its factor from one to the next."""
SOFTER, NEAREST = 0.1, 0.95
"""First factor from one e to the next on the path from soft contacts, and that at which it ends."""
STEPS, ANCHORS = 30, 8
"""Most Newton steps to one answer; most anchors."""
CYCLE, STALLED = 1e-3, 0.7
"""Relative difference of F by which a cycle is known; what a proximal step leaves of ``e (r - a)``
if it does not help."""
HALVINGS, NEAR = 20, 1e-6
FOLLOWING, EXACT = 20, 1e-9
""""""
SMALL, EPS = 0.01, 4e-16
"""Largest F of an answer, relative to the tolerance; rounding of ``W r``."""


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
        law: shape (1,), a ``ConeLaw``.
        W: shape (rows, rows), symmetric positive semidefinite; b: shape (rows,).
        mu, lower: shape (contacts,), coefficient of friction, least normal impulse.
        directions: shape (sides, 2), unit normals of a pyramid's sides.
        r: shape (rows,), start and answer.
        state: shape (contacts,), a ``ConeState``; pivot: shape (rows,); scratch as all below.
        D: shape (contacts, 9), derivative of the projection; J: shape (rows, rows).
        weight, soft: shape (contacts,), w, and e over the relative one; P: shape (contacts, 3), projection.
        u, F, anchor, given, best, kept: shape (rows,).
    """

    law: Ints1
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
    def allocate(cls, law: ConeLaw, contacts: int, **given: Any) -> Cones:
        """Allocate the arrays that are not given for a number of contacts."""
        n = 3 * contacts
        rows = dict.fromkeys(("b", "r", "pivot", "u", "F", "anchor", "given", "best", "kept"), n)
        shapes = {"W": (n, n), "J": (n, n), "D": (contacts, 9), "directions": (0, 2)}
        return allocated(cls, contacts, law=np.array([law]), **rows | shapes | given)


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
def copy(given, out, contacts):
    """Copy the rows of the contacts."""
    for a in range(3 * contacts):
        out[a] = given[a]


@inner
def write_matrix(c, contacts, e):
    """Write ``w (1 - D) + D (W + e)``, the derivative of F times w."""
    J, n = c.J, 3 * contacts
    for i in range(contacts):
        at, D, w = 3 * i, c.D[i], c.weight[i] if c.weight[i] > 0.0 else 1.0
        own = e * c.soft[i]
        W0, W1, W2 = c.W[at], c.W[at + 1], c.W[at + 2]
        for a in range(3):
            row, d0, d1, d2 = J[at + a], D[3 * a], D[3 * a + 1], D[3 * a + 2]
            for b in range(n):
                row[b] = d0 * W0[b] + d1 * W1[b] + d2 * W2[b]
            row[at] += (own - w) * d0
            row[at + 1] += (own - w) * d1
            row[at + 2] += (own - w) * d2
            row[at + a] += w


@routine
def factor_rows(J, pivot, n):
    """Overwrite J with its triangular factors, with row pivoting; return False if singular."""
    for k in range(n):
        p = k
        for a in range(k + 1, n):
            if abs(J[a, k]) > abs(J[p, k]):
                p = a
        pivot[k] = p
        if not abs(J[p, k]) > 1e-300:
            return False
        if p != k:
            for b in range(n):
                J[k, b], J[p, b] = J[p, b], J[k, b]
        top, inverse = J[k], 1.0 / J[k, k]
        for a in range(k + 1, n):
            row = J[a]
            f = row[k] * inverse
            if f != 0.0:
                row[k] = f
                for b in range(k + 1, n):
                    row[b] -= f * top[b]
    return True


@routine
def solve_rows(J, pivot, F, n):
    """Overwrite F with ``J^-1 F`` by the factors of ``factor_rows``."""
    for k in range(n):
        p = pivot[k]
        F[k], F[p] = F[p], F[k]
    for k in range(n):
        s = F[k]
        for b in range(k):
            s -= J[k, b] * F[b]
        F[k] = s
    for k in range(n - 1, -1, -1):
        s = F[k]
        for b in range(k + 1, n):
            s -= J[k, b] * F[b]
        F[k] = s / J[k, k]


@routine
def step(c, contacts, e, chord):
    """Do a Newton step; ``chord``: with the last step's matrix. Return False if it is singular."""
    n = 3 * contacts
    if not chord:
        write_matrix(c, contacts, e)
        if not factor_rows(c.J, c.pivot, n):
            return False
    solve_rows(c.J, c.pivot, c.F, n)
    for a in range(n):
        c.r[a] -= c.F[a]
    return True


@routine
def newton(c, contacts, e, small):
    """Do Newton steps of full length from ``c.r``; return whether F is small.

    And whether the last matrix fits. They end where F is the same as two to four steps before.
    """
    last = second = third = fourth = 0.0
    for k in range(STEPS):
        rounding = write_velocity(c, contacts, e)
        error, changed = find_states(c, contacts)
        if error <= small + rounding:
            return True, k > 0 and not changed
        near = min(abs(error - second), abs(error - third), abs(error - fourth))
        if near <= CYCLE * error:
            return False, False
        last, second, third, fourth = error, last, second, third
        if not step(c, contacts, e, False):
            return False, False
    return False, False


@inner
def weigh(c, contacts):
    """Write the contacts' w, the largest diagonal entry of their blocks."""
    for i in range(contacts):
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


@inner
def slope(c, contacts, e, t):
    """Return the slope of ``r'Wr / 2 + e |P(y)|^2 / 2`` at t of a step, ``y = a - (W r + b) / e``.

    ``c.best`` is the step and ``c.F`` is W times it.
    """
    total, d, Wd = 0.0, c.best, c.F
    for i in range(contacts):
        at, w = 3 * i, e * c.soft[i]
        if w <= 0.0:
            continue
        y0 = c.r[at] - (c.u[at] + t * Wd[at]) / w
        y1 = c.r[at + 1] - (c.u[at + 1] + t * Wd[at + 1]) / w
        project(c, i, y0, y1, c.r[at + 2] - (c.u[at + 2] + t * Wd[at + 2]) / w)
        for a in range(3):
            total += Wd[at + a] * (c.r[at + a] + t * d[at + a] - c.P[i, a])
    return total


@inner
def step_length(c, contacts, e):
    """Return the length of a step: 1, or where the slope is half of that at its start or less."""
    start, low, high = slope(c, contacts, e, 0.0), 0.0, 1.0
    t = 1.0
    for _ in range(HALVINGS):
        now = slope(c, contacts, e, t)
        if now <= -0.5 * start and (now >= 0.5 * start or t == 1.0):
            break
        low, high = (t, high) if now < 0.0 else (low, t)
        t = 0.5 * (low + high)
    return t


@routine
def descend(c, contacts, e):
    """Overwrite r by the answer for e of a convex problem, from any start.

    Newton's method on the convex function of ``slope``, whose gradient is ``W (r - P(y))``: that is
    F with e in place of w. Steps are as long as the function allows.
    """
    n = 3 * contacts
    for i in range(contacts):
        c.weight[i] = e * c.soft[i]
    for _ in range(STEPS):
        write_velocity(c, contacts, e)
        error, _ = find_states(c, contacts)
        if error <= NEAR * give_way(c, contacts, e):
            break
        write_matrix(c, contacts, e)
        if not factor_rows(c.J, c.pivot, n):
            break
        solve_rows(c.J, c.pivot, c.F, n)
        for a in range(n):
            c.best[a], c.F[a] = -c.F[a], 0.0
        for b in range(n):
            row, f = c.W[b], c.best[b]
            for a in range(n):
                c.F[a] += row[a] * f
        t = step_length(c, contacts, e)
        for a in range(n):
            c.r[a] += t * c.best[a]
    weigh(c, contacts)


@routine
def refine(c, contacts, e, small, chord):
    """Do proximal steps from an answer with the anchor zero, as long as they help."""
    left = give_way(c, contacts, e)
    for _ in range(ANCHORS):
        before = left
        copy(c.r, c.anchor, contacts)
        reached, error = math.inf, math.inf
        while True:
            rounding = write_velocity(c, contacts, e)
            error, changed = find_states(c, contacts)
            if error <= small + rounding or not error < 0.5 * reached:
                break
            if not step(c, contacts, e, chord and not changed):
                break
            reached, chord = error, True
        left = give_way(c, contacts, e)
        if error > small + rounding or left > STALLED * before:
            copy(c.anchor, c.r, contacts)
            return
        if left <= small:
            return


@routine
def through_soft_contacts(c, contacts):
    """Overwrite r by the answer of a convex problem for ``SOFTNESS``, by those of softer contacts."""
    e = 1.0
    for a in range(3 * contacts):
        c.r[a] = c.anchor[a] = 0.0
    while e > 0.5 * SOFTNESS:
        descend(c, contacts, e)
        e *= SOFTER


@routine
def from_soft_contacts(c, contacts, small):
    """Overwrite r by the answer for the smallest e that a path from soft contacts leads to."""
    if c.law[0] != ConeLaw.COULOMB:
        through_soft_contacts(c, contacts)
        return
    softness, factor, reached = 1.0, SOFTER, 0.0
    for a in range(3 * contacts):
        c.r[a] = c.given[a] = c.anchor[a] = 0.0
    while factor < NEAREST:
        found, _ = newton(c, contacts, softness, small)
        if found:
            copy(c.r, c.given, contacts)
            if softness <= SOFTNESS:
                return
            reached, factor = softness, max(SOFTER, factor * factor)
        else:
            copy(c.given, c.r, contacts)
            factor = math.sqrt(factor)
            if reached == 0.0:
                return
        softness = max(SOFTNESS, reached * factor)


@inner
def residual(c, contacts):
    """Return the largest F of r, [m/s]."""
    write_velocity(c, contacts, 0.0)
    return find_states(c, contacts)[0]


@routine
def answer(c, contacts, e, small):
    """Overwrite r by the answer for e, if Newton's method finds it; see ``newton``."""
    copy(c.r, c.given, contacts)
    found, chord = newton(c, contacts, e, small)
    if not found and c.law[0] != ConeLaw.COULOMB:
        copy(c.given, c.r, contacts)
        descend(c, contacts, e)
        found, chord = newton(c, contacts, e, small)
    return found, chord


@routine
def near_start(c, contacts, tolerance):
    """Look for the canonical answer from r on; write it to ``c.best``; return its residual."""
    small, softness, solved, least = SMALL * tolerance, SOFTNESS, 0.0, math.inf
    while least > tolerance and softness >= STIFFEST:
        for a in range(3 * contacts):
            c.anchor[a] = 0.0
        found, chord = answer(c, contacts, softness, small)
        error = math.inf
        if found:
            refine(c, contacts, softness, small, chord)
            error = residual(c, contacts)
        if error < least:
            least, solved = error, softness
            copy(c.r, c.best, contacts)
            softness *= STIFFER
            continue
        copy(c.best, c.r, contacts)
        if solved == 0.0 or softness > NEAREST * solved:
            break
        softness = math.sqrt(softness * solved)
    return least


@routine
def follow(c, contacts, tolerance):
    """Overwrite r by an exact answer near it, by steps from anchor to anchor; return its residual.

    It is not quite the canonical one: for contacts that stick on the edge of their cones beside
    masses that differ by orders of magnitude.
    """
    error = math.inf
    for _ in range(FOLLOWING):
        copy(c.r, c.anchor, contacts)
        found, _ = answer(c, contacts, EXACT, SMALL * tolerance)
        if not found:
            break
        error = residual(c, contacts)
        if error <= tolerance:
            break
    return error


@routine
def canonical(c, contacts, tolerance, resting):
    """Overwrite ``c.r``, which is the start, with the canonical answer; return its residual, [m/s].

    If none is found within the tolerance, r is the best that is known; the start, if it is that.

    Args:
        c: the problem.
        contacts: number of its contacts.
        tolerance: largest residual ``w |F|`` of an answer, [m/s].
        resting: residual up to which a start in which nothing slips stays as it is: that of a body
            at rest, for which it was found before. Negative: none.
    """
    weigh(c, contacts)
    give_equal_way(c, contacts)
    copy(c.r, c.kept, contacts)
    least = residual(c, contacts)
    slips = least > resting
    for i in range(contacts):
        slips = slips or c.state[i] > ConeState.STICKS
    if not slips:
        return least
    for way in range(4):
        if way == 2:
            for i in range(contacts):
                c.soft[i] = c.weight[i]
            copy(c.kept, c.r, contacts)
        elif way > 0:
            from_soft_contacts(c, contacts, SMALL * tolerance)
        if way < 2:
            error = near_start(c, contacts, tolerance)
        else:
            error = follow(c, contacts, tolerance)
            copy(c.r, c.best, contacts)
        if error < least or error <= tolerance:
            least = error
            copy(c.best, c.kept, contacts)
        if error <= tolerance:
            break
    copy(c.kept, c.r, contacts)
    residual(c, contacts)
    for i in range(contacts):
        if c.state[i] != ConeState.STICKS:  # without rounding: within its cone
            for a in range(3):
                c.r[3 * i + a] = c.P[i, a]
    return least

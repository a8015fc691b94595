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
1976). Rounding leaves about 1e-11 of the impulses. Where a contact sticks on the edge of its cone
1e-5 may be left; answers for two values of e differed by up to 2e-3 in rare random cases.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall.problem.cones import (
    ConeState,
    copy,
    find_states,
    give_equal_way,
    give_way,
    into_cones,
    project,
    weigh,
    write_velocity,
)
from footfall.problem.dense import solve_dense

SOFTNESS, STIFFEST, STIFFER = 1e-5, 1e-11, 0.1
"""e, relative to the mean W_nn; the smallest that is tried where b asks for velocities that no
motion has; its factor from one to the next."""
SOFTER, NEAREST = 0.1, 0.95
"""First factor from one e to the next on the path from soft contacts, and that at which it ends."""
STEPS, ANCHORS = 30, 8
"""Most Newton steps to one answer; most anchors."""
CYCLE, STALLED = 1e-3, 0.7
"""Relative difference of F by which a cycle is known; what a proximal step leaves of ``e (r - a)``
if it does not help."""
SMALL = 0.01
"""Largest F of an answer, relative to the tolerance."""
HALVINGS, NEAR = 20, 1e-6
"""Most lengths tried for a step of ``descend``; error of r, over its size, at which it ends."""
FOLLOWING, EXACT = 20, 1e-9
"""Most anchors of ``follow``, and its e, relative to each contact's own w."""


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
def step(c, contacts, e, chord):
    """Do a Newton step; ``chord``: with the last step's matrix. Return False if it is singular."""
    n = 3 * contacts
    if not chord:
        write_matrix(c, contacts, e)
    if not solve_dense(c.J, c.pivot, c.F, n, chord):
        return False
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
def slope(c, contacts, e, t):
    """Return the slope of ``r'Wr / 2 + e |P(y)|^2 / 2`` at t of a step, ``y = a - (W r + b) / e``.

    ``c.given`` is the step and ``c.F`` is W times it.
    """
    total, d, Wd = 0.0, c.given, c.F
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
        if not solve_dense(c.J, c.pivot, c.F, n, False):
            break
        for a in range(n):
            c.given[a], c.F[a] = -c.F[a], 0.0
        for b in range(n):
            row, f = c.W[b], c.given[b]
            for a in range(n):
                c.F[a] += row[a] * f
        t = step_length(c, contacts, e)
        for a in range(n):
            c.r[a] += t * c.given[a]
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
    """Overwrite r by the answer of a convex problem for ``SOFTNESS``, from soft contacts on."""
    e = 1.0
    for a in range(3 * contacts):
        c.r[a] = c.anchor[a] = 0.0
    while e > 0.5 * SOFTNESS:
        descend(c, contacts, e)
        e *= SOFTER


@routine
def from_soft_contacts(c, contacts, small):
    """Overwrite r by the answer for the smallest e that a path from soft contacts leads to."""
    if c.convex[0] == 1:
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
    if not found and c.convex[0] == 1:
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
    """Write an exact answer near r to ``c.best``, by steps from anchor to anchor.

    Return its residual. It is not quite the canonical one: for contacts that stick on the edge of
    their cones beside masses that differ by orders of magnitude.
    """
    least = math.inf
    for _ in range(FOLLOWING):
        copy(c.r, c.anchor, contacts)
        found, _ = answer(c, contacts, EXACT, SMALL * tolerance)
        if not found:
            break
        error = residual(c, contacts)
        if error < least:
            least = error
            copy(c.r, c.best, contacts)
        if least <= tolerance:
            break
    return least


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
        error = near_start(c, contacts, tolerance) if way < 2 else follow(c, contacts, tolerance)
        if error < least or error <= tolerance:
            least = error
            copy(c.best, c.kept, contacts)
        if error <= tolerance:
            break
    copy(c.kept, c.r, contacts)
    into_cones(c, contacts)
    return least

"""Gauss-Seidel over contacts; bisection finds the slip of maximum dissipation of each."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.kernels import inner, kernel, opener, routine
from footfall.api.plugin import Floats1, Floats2, Ints1
from footfall_small_laws.kernels import DenseGroups, first_group, next_group, open_groups

SAMPLES = 24
BISECTIONS = 50
PROXIMAL = 1e-9
"""Proximal term on the diagonal block, relative to its mean. It makes a singular W_ii regular, and
has no effect after the sweeps have converged."""


class Sweeps(NamedTuple):
    """Settings and scratch of the sweeps, see ``BisectionConfig``.

    Attributes:
        most: shape (1,), largest number of sweeps.
        least_step, decay: shape (1,), final step, and factor of the step per sweep, [-].
        work: shape (3, 9).
    """

    most: Ints1
    least_step: Floats1
    decay: Floats1
    work: Floats2


open_sweeps = opener(Sweeps, len(DenseGroups._fields))


@inner
def slip_at(w, c, mu, angle):
    """Return (r_n, energy, slope) of the impulse on the cone at an angle that makes u_n zero.

    ``r = r_n (mu d, 1)`` with ``r_n = -c_n / D``, ``D = W_nn + mu W_nt d``; kinetic energy (up to a
    constant) ``r . (u + c) / 2`` with u = W r + c, slope ``u . dr/dangle``. r_n is negative if no
    impulse of this direction stops the contact.
    """
    x, y = math.cos(angle), math.sin(angle)
    D = w[8] + mu * (w[6] * x + w[7] * y)
    if D <= 0.0:
        return -1.0, math.inf, 0.0
    n = -c[2] / D
    r0, r1 = mu * n * x, mu * n * y
    u0 = w[0] * r0 + w[1] * r1 + w[2] * n + c[0]
    u1 = w[3] * r0 + w[4] * r1 + w[5] * n + c[1]
    dn = -n * mu * (w[7] * x - w[6] * y) / D
    slope = mu * (u0 * (dn * x - n * y) + u1 * (dn * y + n * x))
    return n, 0.5 * (r0 * (u0 + c[0]) + r1 * (u1 + c[1]) + n * c[2]), slope


@routine
def slip(w, c, mu, r):
    """Overwrite r (3,) with the slipping impulse that leaves the least kinetic energy.

    It lies on the ellipse (or another conic) in which the plane u_n = 0 cuts the cone. The best of
    a few samples gives a bracket, and bisection finds the zero of the slope in it.
    """
    width = 2.0 * math.pi / SAMPLES
    best, least = 0.0, math.inf
    for k in range(SAMPLES):
        n, energy, slope = slip_at(w, c, mu, k * width)
        if n >= 0.0 and energy < least:
            best, least = k * width, energy
    low, high = best - width, best + width
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        n, energy, slope = slip_at(w, c, mu, middle)
        before = middle < best if n < 0.0 else slope < 0.0
        low, high = (middle, high) if before else (low, middle)
    angle = 0.5 * (low + high)
    n, energy, slope = slip_at(w, c, mu, angle)
    r[0], r[1], r[2] = mu * n * math.cos(angle), mu * n * math.sin(angle), n


@inner
def stick(w, c, r):
    """Overwrite r (3,) with ``-W^-1 c``, by cofactors; return False if W is singular."""
    c00, c01, c02 = w[4] * w[8] - w[5] * w[5], w[2] * w[5] - w[1] * w[8], w[1] * w[5] - w[2] * w[4]
    c11, c12 = w[0] * w[8] - w[2] * w[2], w[1] * w[2] - w[0] * w[5]
    c22, det = w[0] * w[4] - w[1] * w[1], w[0] * c00 + w[1] * c01 + w[2] * c02
    if det <= 0.0:
        return False
    r[0] = -(c00 * c[0] + c01 * c[1] + c02 * c[2]) / det
    r[1] = -(c01 * c[0] + c11 * c[1] + c12 * c[2]) / det
    r[2] = -(c02 * c[0] + c12 * c[1] + c22 * c[2]) / det
    return True


@inner
def solve_contact(w, c, mu, r):
    """Overwrite r (3,): zero if the contact opens by itself, stick if possible, else slip."""
    if c[2] >= 0.0 or w[8] <= 0.0:
        r[0], r[1], r[2] = 0.0, 0.0, 0.0
    elif mu == 0.0:
        r[0], r[1], r[2] = 0.0, 0.0, -c[2] / w[8]
    elif not stick(w, c, r) or r[2] <= 0.0 or math.hypot(r[0], r[1]) > mu * r[2]:
        slip(w, c, mu, r)


@inner
def load_contact(W, b, r, i, w, c):
    """Write the diagonal block w (9,) and c (3,), the contact's velocity without its impulse.

    With the proximal term e: ``w = W_ii + e``, ``c = u - w r``.
    """
    at = 3 * i
    e = PROXIMAL * (W[at, at] + W[at + 1, at + 1] + W[at + 2, at + 2]) / 3.0
    for k in range(3):
        c[k] = b[at + k]
        for j in range(len(b)):
            c[k] += W[at + k, j] * r[j]
        for j in range(3):
            w[3 * k + j] = W[at + k, at + j] + (e if j == k else 0.0)
            c[k] -= w[3 * k + j] * r[at + j]


@routine
def sweep(W, b, mu, r, tolerance, iterations, least_step, decay, work):
    """Overwrite r with the fixed point of all contacts; return (sweeps, residual [m/s]).

    Each contact moves the part ``step`` of the way to its own answer. ``step`` shrinks from 1
    towards ``least_step``, by the factor ``decay`` per sweep. The residual is the largest distance
    to a contact's own answer, times the contact's largest diagonal entry of W_ii. ``work`` is
    scratch, shape (3, 9).
    """
    w, c, new = work[0], work[1], work[2]
    step, residual = 1.0, math.inf
    for done in range(iterations):
        residual = 0.0
        for i in range(len(mu)):
            load_contact(W, b, r, i, w, c)
            solve_contact(w, c, mu[i], new)
            top = max(w[0], w[4], w[8])
            for k in range(3):
                away = new[k] - r[3 * i + k]
                residual = max(residual, top * abs(away))
                r[3 * i + k] = (
                    new[k] if step == 1.0 or new[2] == 0.0 else r[3 * i + k] + step * away
                )
        if residual <= tolerance:
            return done + 1, residual
        step = least_step + (step - least_step) * decay
    return iterations, residual


@kernel
def solve(table, space):
    """Solve the groups of a problem one after another; return whether that fails."""
    groups, s = open_groups(space), open_sweeps(space)
    contacts = first_group(table, groups)
    while contacts > 0:
        n = 3 * contacts
        sweeps, residual = sweep(
            *(groups.W, groups.b[:n], groups.mu[:contacts], groups.r[:n], groups.tolerance[0]),
            *(s.most[0], s.least_step[0], s.decay[0], s.work),
        )
        contacts = next_group(table, groups, sweeps, residual)
    return contacts < 0

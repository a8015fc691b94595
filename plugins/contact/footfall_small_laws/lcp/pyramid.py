"""Contacts with friction pyramids, written as a linear complementarity problem."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.api.advanced import allocated
from footfall.api.kernels import routine
from footfall.api.plugin import Floats, Floats1, Floats2, Ints1
from footfall_small_laws.kernels import DenseGroups

RAYS = 5
"""Number of covering vectors to try."""


class Pyramids(NamedTuple):
    """Problem ``w = M z + q``, ``0 <= w perp z >= 0``, ``z = (r_n, beta, lambda)`` per contact.

    With friction directions d_j across the edges of a regular polygon, ``r_t = sum_j beta_j d_j``
    and b the velocity without impulses, per contact::

        w = u_n                      perp  r_n        touching points do not sink in
        w_j = d_j . u_t + lambda     perp  beta_j     friction against the slip
        w = mu' r_n - sum_j beta_j   perp  lambda     within the pyramid; lambda is the slip speed

    The polygon circumscribes the circle, faces across the tangent axes: ``mu' = mu / cos(pi / n)``.
    Stewart and Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic
    collisions and Coulomb friction", Int. J. Numerical Methods in Engineering 39, 1996; Anitescu
    and Potra, "Formulating dynamic multi-rigid-body contact problems with friction as solvable
    linear complementarity problems", Nonlinear Dynamics 14, 1997: Lemke's method solves it.

    Attributes:
        most_pivots, most_sweeps: shape (1,), see ``LCPConfig``.
        directions: shape (sides, 2).
        rays: shape (5, n), covering vectors.
        M: shape (n, n); contacts are scaled so that the largest diagonal entry of each W_ii is 1.
        q: shape (n,).
        scale: shape (contacts,), factor from scaled impulses to impulses.
        z, best: shape (n,), an answer, and the best one.
        own_q: shape (sides + 2,), q of one contact.
        T: shape (n, n + 2), scratch: basic variables as functions of nonbasic ones, z0 and 1.
        basic: shape (n,), scratch: the variable of each row; w_i is i, z_i is n + i, z0 is 2 n.
        place: shape (n,), scratch: the column of w_i, -1 while it is basic.
        nonbasic: shape (n + 1,), scratch: the variable of each column.
    """

    most_pivots: Ints1
    most_sweeps: Ints1
    directions: Floats2
    rays: Floats2
    M: Floats2
    q: Floats1
    scale: Floats1
    z: Floats1
    best: Floats1
    own_q: Floats1
    T: Floats2
    basic: Ints1
    place: Ints1
    nonbasic: Ints1

    @classmethod
    def allocate(cls, contacts: int, sides: int, most_pivots: int, most_sweeps: int) -> Pyramids:
        """Allocate room for groups of up to this number of contacts."""
        n = contacts * (sides + 2)
        angles = 2.0 * np.pi * (np.arange(sides) + 0.5) / sides
        others = [np.random.default_rng(k).uniform(1.0, 2.0, n) for k in range(1, RAYS)]
        return allocated(
            cls,
            n,
            most_pivots=np.array([most_pivots]),
            most_sweeps=np.array([most_sweeps]),
            directions=np.stack([np.cos(angles), np.sin(angles)], axis=1),
            rays=np.array([np.ones(n), *others]),
            M=(n, n),
            scale=contacts,
            own_q=sides + 2,
            T=(n, n + 2),
            nonbasic=n + 1,
        )


@routine
def write_pair(W: Floats, c: Pyramids, i: int, j: int) -> None:
    """Write the rows of contact i in the columns of contact j, without the bounds of friction."""
    M, d, sides = c.M, c.directions, len(c.directions)
    row, column, f = i * (sides + 2), j * (sides + 2), c.scale[i] * c.scale[j]
    W0, W1, W2, at = W[3 * i], W[3 * i + 1], W[3 * i + 2], 3 * j
    M[row, column] = f * W2[at + 2]
    for k in range(sides):
        x, y = f * d[k, 0], f * d[k, 1]
        M[row, column + 1 + k] = x * W2[at] + y * W2[at + 1]
        M[row + 1 + k, column] = x * W0[at + 2] + y * W1[at + 2]
        along, across = x * W0[at] + y * W1[at], x * W0[at + 1] + y * W1[at + 1]
        for other in range(sides):
            M[row + 1 + k, column + 1 + other] = along * d[other, 0] + across * d[other, 1]
    for k in range(sides + 2):
        M[row + sides + 1, column + k] = M[row + k, column + sides + 1] = 0.0


@routine
def write_problem(groups: DenseGroups, c: Pyramids, contacts: int) -> None:
    """Write the problem of a group."""
    sides, W, b = len(c.directions), groups.W, groups.b
    for i in range(contacts):
        at = 3 * i
        top = max(W[at, at], W[at + 1, at + 1], W[at + 2, at + 2])
        c.scale[i] = 1.0 / math.sqrt(top) if top > 0.0 else 0.0
    for i in range(contacts):
        for j in range(contacts):
            write_pair(W, c, i, j)
        at, first, last = 3 * i, i * (sides + 2), i * (sides + 2) + sides + 1
        c.q[first], c.q[last] = c.scale[i] * b[at + 2], 0.0
        for k in range(sides):
            c.q[first + 1 + k] = c.scale[i] * (
                c.directions[k, 0] * b[at] + c.directions[k, 1] * b[at + 1]
            )
            c.M[first + 1 + k, last], c.M[last, first + 1 + k] = 1.0, -1.0
        c.M[last, first] = groups.mu[i] / math.cos(math.pi / sides)


@routine
def write_impulses(c: Pyramids, contacts: int, r: Floats) -> None:
    """Write the impulses of the best answer, [N s], projected into the pyramids."""
    sides, z = len(c.directions), c.best
    for i in range(contacts):
        first, last = i * (sides + 2), i * (sides + 2) + sides + 1
        bound, total, x, y = c.M[last, first] * z[first], 0.0, 0.0, 0.0
        for k in range(sides):
            beta = z[first + 1 + k]
            total += beta
            x += beta * c.directions[k, 0]
            y += beta * c.directions[k, 1]
        fits = c.scale[i] * (bound / total if total > bound else 1.0)
        r[3 * i], r[3 * i + 1], r[3 * i + 2] = x * fits, y * fits, c.scale[i] * z[first]


@routine
def residual(c: Pyramids, z: Floats, n: int) -> float:
    """Return ``max |min(z, w)|`` as a contact velocity, [m/s]."""
    size, worst = len(c.directions) + 2, 0.0
    for a in range(n):
        scale = c.scale[a // size]
        if scale > 0.0:
            w = c.q[a]
            for b in range(n):
                w += c.M[a, b] * z[b]
            worst = max(worst, abs(min(z[a], w)) / scale)
    return worst

"""Newton's method and accelerated projected gradient descent over friction cones."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.advanced import Cones, allocated, canonical, project_cone
from footfall.api.kernels import inner, kernel, opener, routine
from footfall.api.plugin import Floats2, Ints1
from footfall_small_laws.kernels import DenseGroups, first_group, next_group, open_groups

NEWTON_ROWS = 300
"""Most rows of a group for which the answer of least norm is looked for."""
RESTING = 1e-2
"""Residual up to which the last step's impulses of a body at rest stay, over the tolerance."""


class Descent(NamedTuple):
    """Setting and scratch of the projected gradient descent.

    Attributes:
        most: shape (1,), largest number of steps.
        work: shape (8, rows).
    """

    most: Ints1
    work: Floats2

    @classmethod
    def allocate(cls, rows: int, most: int) -> Descent:
        """Allocate scratch for groups of up to this number of rows."""
        made = allocated(cls, 1, work=(8, rows))
        made.most[:] = most
        return made


open_cones = opener(Cones, len(DenseGroups._fields))
open_descent = opener(Descent, len(DenseGroups._fields) + len(Cones._fields))


@inner
def rows_of(work, n):
    """Return the scratch of a problem of n rows: s, x, W x, y, W y, new x, W new x, gradient."""
    return (
        *(work[0][:n], work[1][:n], work[2][:n], work[3][:n]),
        *(work[4][:n], work[5][:n], work[6][:n], work[7][:n]),
    )


@inner
def multiply(W, x, out):
    """Write W x."""
    for a in range(len(x)):
        s = 0.0
        for b in range(len(x)):
            s += W[a, b] * x[b]
        out[a] = s


@inner
def scale_problem(W, b, r, s):
    """Scale to ``x = r / s`` with s so that the largest diagonal entry of every contact is 1."""
    for i in range(len(b) // 3):
        w = max(W[3 * i, 3 * i], W[3 * i + 1, 3 * i + 1], W[3 * i + 2, 3 * i + 2])
        for a in range(3 * i, 3 * i + 3):
            s[a] = 1.0 / math.sqrt(w) if w > 0.0 else 0.0
    for a in range(len(b)):
        r[a] = r[a] / s[a] if s[a] > 0.0 else 0.0
        b[a] *= s[a]
        for c in range(len(b)):
            W[a, c] *= s[a] * s[c]


@inner
def step(x, g, length, mu, out):
    """Write the projection of ``x - length g`` on the cones."""
    for i in range(len(mu)):
        a = 3 * i
        out[a], out[a + 1], out[a + 2] = project_cone(
            x[a] - length * g[a],
            x[a + 1] - length * g[a + 1],
            x[a + 2] - length * g[a + 2],
            mu[i],
        )


@inner
def residual_of(x, Wx, b, mu, s):
    """Return the largest ``|x - P(x - (W x + b))| / s`` of a contact: 0 at the minimum, [m/s]."""
    worst = 0.0
    for i in range(len(mu)):
        a = 3 * i
        if s[a] == 0.0:
            continue
        p0, p1, p2 = project_cone(
            x[a] - Wx[a] - b[a],
            x[a + 1] - Wx[a + 1] - b[a + 1],
            x[a + 2] - Wx[a + 2] - b[a + 2],
            mu[i],
        )
        away = math.sqrt((x[a] - p0) ** 2 + (x[a + 1] - p1) ** 2 + (x[a + 2] - p2) ** 2)
        worst = max(worst, away / s[a])
    return worst


@inner
def too_long(x, Wx, y, Wy, L):
    """Return whether ``d'W d > L d'd``, ``d = x - y``: the step 1 / L is longer than W allows."""
    curved, length = 0.0, 0.0
    for a in range(len(x)):
        curved += (x[a] - y[a]) * (Wx[a] - Wy[a])
        length += (x[a] - y[a]) ** 2
    return curved > L * length * (1.0 + 1e-9)


@inner
def try_step(W, b, mu, L, work):
    """Do a step from y, shortened (L doubled) until W allows it; return L."""
    _, _, _, y, Wy, new, Wnew, g = rows_of(work, len(b))
    for a in range(len(b)):
        g[a] = Wy[a] + b[a]
    step(y, g, 1.0 / L, mu, new)
    multiply(W, new, Wnew)
    while too_long(new, Wnew, y, Wy, L):
        L *= 2.0
        step(y, g, 1.0 / L, mu, new)
        multiply(W, new, Wnew)
    return L


@inner
def gain_momentum(theta, work, n):
    """Set x to the new iterate and y beyond it; return Nesterov's next theta."""
    _, x, Wx, y, Wy, new, Wnew, g = rows_of(work, n)
    following = 0.5 * theta * (math.sqrt(theta * theta + 4.0) - theta)
    momentum, uphill = theta * (1.0 - theta) / (theta * theta + following), 0.0
    for a in range(len(x)):
        uphill += g[a] * (new[a] - x[a])
    if uphill > 0.0:
        following, momentum = 1.0, 0.0
    for a in range(len(x)):
        y[a] = new[a] + momentum * (new[a] - x[a])
        Wy[a] = Wnew[a] + momentum * (Wnew[a] - Wx[a])
        x[a], Wx[a] = new[a], Wnew[a]
    return following


@routine
def minimise(W, b, mu, r, tolerance, iterations, work):
    """Overwrite r with the minimum of ``1/2 r'W r + b'r`` over the cones; W and b are scaled.

    Nesterov's method with backtracking, restarted whenever the momentum points uphill (Mazhar et
    al. 2015, algorithm 1). ``work`` is scratch, shape (8, rows). Return the number of steps, and
    the residual [m/s] of the best iterate.
    """
    s, x, Wx, y, Wy, _, _, _ = rows_of(work, len(b))
    scale_problem(W, b, r, s)
    step(r, b, 0.0, mu, x)
    multiply(W, x, Wx)
    best, done, L, theta = residual_of(x, Wx, b, mu, s), 0, 1.0, 1.0
    for a in range(len(b)):
        r[a], y[a], Wy[a] = x[a], x[a], Wx[a]
    while done < iterations and best > tolerance:
        L = try_step(W, b, mu, L, work)
        theta = gain_momentum(theta, work, len(b))
        done, L = done + 1, 0.9 * L
        error = residual_of(x, Wx, b, mu, s)
        if error < best:
            best = error
            for a in range(len(b)):
                r[a] = x[a]
    for a in range(len(b)):
        r[a] *= s[a]
    return done, best


@routine
def solve_group(groups, cones, descent, contacts):
    """Overwrite r of a group with the minimum; return the gradient steps and the residual, [m/s].

    Up to ``NEWTON_ROWS`` it is the one of least norm.
    """
    n, tolerance = 3 * contacts, groups.tolerance[0]
    if n <= NEWTON_ROWS:
        residual = canonical(cones, contacts, tolerance, RESTING * tolerance)
        if residual <= tolerance:
            return 0, residual
    b, mu, r = groups.b[:n], groups.mu[:contacts], groups.r[:n]
    return minimise(groups.W, b, mu, r, tolerance, descent.most[0], descent.work)


@kernel
def solve(table, space):
    """Solve the groups of a problem one after another; return whether that fails."""
    groups, cones, descent = open_groups(space), open_cones(space), open_descent(space)
    contacts = first_group(table, groups)
    while contacts > 0:
        steps, residual = solve_group(groups, cones, descent, contacts)
        contacts = next_group(table, groups, steps, residual)
    return contacts < 0

"""Newton's method and accelerated projected gradient descent over friction cones."""

from __future__ import annotations

import math

from footfall.api.advanced import Cones, canonical, project_cone
from footfall.api.kernels import inner, kernel, opener

RESTING = 1e-2
"""Residual up to which the last step's impulses of a body at rest stay, over the tolerance."""
open_cones = opener(Cones, 0)


@kernel
def least_norm(table, contacts, tolerance):
    """Overwrite r of a group with the minimum of least norm; return its residual, [m/s]."""
    return canonical(open_cones(table), contacts, tolerance, RESTING * tolerance)


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
    y, Wy, new, Wnew, g = work[3], work[4], work[5], work[6], work[7]
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
def gain_momentum(theta, work):
    """Set x to the new iterate and y beyond it; return Nesterov's next theta."""
    x, Wx, y, Wy = work[1], work[2], work[3], work[4]
    new, Wnew, g = work[5], work[6], work[7]
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


@kernel
def minimise(W, b, mu, r, tolerance, iterations, work):
    """Overwrite r with the minimum of ``1/2 r'W r + b'r`` over the cones; W and b are scaled.

    Nesterov's method with backtracking, restarted whenever the momentum points uphill (Mazhar et
    al. 2015, algorithm 1). ``work`` is scratch, shape (8, rows). Return the number of steps, and
    the residual [m/s] of the best iterate.
    """
    s, x, Wx, y, Wy = work[0], work[1], work[2], work[3], work[4]
    scale_problem(W, b, r, s)
    step(r, b, 0.0, mu, x)
    multiply(W, x, Wx)
    best, done, L, theta = residual_of(x, Wx, b, mu, s), 0, 1.0, 1.0
    for a in range(len(b)):
        r[a], y[a], Wy[a] = x[a], x[a], Wx[a]
    while done < iterations and best > tolerance:
        L = try_step(W, b, mu, L, work)
        theta = gain_momentum(theta, work)
        done, L = done + 1, 0.9 * L
        error = residual_of(x, Wx, b, mu, s)
        if error < best:
            best = error
            for a in range(len(b)):
                r[a] = x[a]
    for a in range(len(b)):
        r[a] *= s[a]
    return done, best

"""One contact solved by Newton's method on Alart and Curnier's function (1991), with line search.

``F_n = r_n - max(0, y_n)``, ``F_t = r_t - P(y_t)``, ``y = r - rho u``, P the projection on the
disk of radius ``mu max(0, y_n)``; ``rho_n = 1 / W_nn``, ``rho_t = 1 / lambda_max(W_tt)``. The line
search on ``|F|^2 / 2`` is Goldstein and Price's, with 0.1 and 0.9.
"""

from __future__ import annotations

import math

from footfall.api.advanced import project_cone
from footfall.api.kernels import inner, routine

STEPS = 30
HALVINGS = 10
LOW, HIGH = 0.1, 0.9


@inner
def velocity_of(W, w, b0, b1, b2, r0, r1, r2):
    """Return ``W_ii r + b``."""
    u0 = W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2 + b0
    u1 = W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2 + b1
    u2 = W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2 + b2
    return u0, u1, u2


@routine
def function_of(W, w, b0, b1, b2, mu, rho_t, rho_n, r0, r1, r2):
    """Return F and y."""
    u0, u1, u2 = velocity_of(W, w, b0, b1, b2, r0, r1, r2)
    y0, y1, yn = r0 - rho_t * u0, r1 - rho_t * u1, r2 - rho_n * u2
    if yn <= 0.0:
        return r0, r1, r2, y0, y1, yn
    size, radius = math.sqrt(y0 * y0 + y1 * y1), mu * yn
    if size <= radius:
        return rho_t * u0, rho_t * u1, rho_n * u2, y0, y1, yn
    s = radius / size
    return r0 - s * y0, r1 - s * y1, rho_n * u2, y0, y1, yn


@inner
def slope_of(W, w, mu, rho_t, rho_n, y0, y1, yn, J):
    """Write dF/dr to J, shape (9,), for a contact with ``y_n > 0``."""
    for k in range(3):
        J[6 + k] = rho_n * W[w + 6 + k]
    size, radius = math.sqrt(y0 * y0 + y1 * y1), mu * yn
    if size <= radius:
        for k in range(6):
            J[k] = rho_t * W[w + k]
        return
    e0, e1, s = y0 / size, y1 / size, radius / size
    g00, g01, g11 = s * (1.0 - e0 * e0), -s * e0 * e1, s * (1.0 - e1 * e1)
    for k in range(3):
        d0, d1, dn = rho_t * W[w + k], rho_t * W[w + 3 + k], rho_n * W[w + 6 + k]
        J[k] = mu * e0 * dn + g00 * d0 + g01 * d1
        J[3 + k] = mu * e1 * dn + g01 * d0 + g11 * d1
    J[0] += 1.0 - g00
    J[1] -= g01
    J[2] -= mu * e0
    J[3] -= g01
    J[4] += 1.0 - g11
    J[5] -= mu * e1


@inner
def solve_three(J, f0, f1, f2):
    """Return ``J^-1 f`` by cofactors, and whether J is regular."""
    c0 = J[4] * J[8] - J[5] * J[7]
    c1 = J[5] * J[6] - J[3] * J[8]
    c2 = J[3] * J[7] - J[4] * J[6]
    det = J[0] * c0 + J[1] * c1 + J[2] * c2
    scale = abs(J[0] * c0) + abs(J[1] * c1) + abs(J[2] * c2)
    if abs(det) <= 1e-13 * scale or scale == 0.0:
        return 0.0, 0.0, 0.0, False
    d0 = c0 * f0 + (J[2] * J[7] - J[1] * J[8]) * f1 + (J[1] * J[5] - J[2] * J[4]) * f2
    d1 = c1 * f0 + (J[0] * J[8] - J[2] * J[6]) * f1 + (J[2] * J[3] - J[0] * J[5]) * f2
    d2 = c2 * f0 + (J[1] * J[6] - J[0] * J[7]) * f1 + (J[0] * J[4] - J[1] * J[3]) * f2
    return d0 / det, d1 / det, d2 / det, True


@routine
def step_length(W, w, b0, b1, b2, mu, rho_t, rho_n, r0, r1, r2, d0, d1, d2, merit):
    """Return a length for the step d by Goldstein and Price; ``merit`` is ``|F|^2`` at r."""
    low, high, length = 0.0, 0.0, 1.0
    for _ in range(HALVINGS):
        x0, x1, x2 = r0 + length * d0, r1 + length * d1, r2 + length * d2
        f0, f1, f2, _y0, _y1, _yn = function_of(W, w, b0, b1, b2, mu, rho_t, rho_n, x0, x1, x2)
        reached = f0 * f0 + f1 * f1 + f2 * f2
        # |F|^2 falls by 2 |F|^2 a unit of length at the start.
        if reached > (1.0 - 2.0 * LOW * length) * merit:
            high = length
        elif reached < (1.0 - 2.0 * HIGH * length) * merit and high > 0.0:
            low = length
        else:
            return length
        length = 0.5 * (low + high)
    return length


@routine
def solve_newton(W, w, b0, b1, b2, mu, r0, r1, r2, space):
    """Solve one contact from r; stop at the current impulse if J becomes singular."""
    spread = math.hypot(W[w] - W[w + 4], 2.0 * W[w + 1])
    largest = 0.5 * (W[w] + W[w + 4] + spread)
    if W[w + 8] <= 0.0 or largest <= 0.0:
        return 0.0, 0.0, 0.0
    rho_n, rho_t = 1.0 / W[w + 8], 1.0 / largest
    small = 1e-15 * max(abs(b0) * rho_t, abs(b1) * rho_t, abs(b2) * rho_n)
    for _ in range(STEPS):
        f0, f1, f2, y0, y1, yn = function_of(W, w, b0, b1, b2, mu, rho_t, rho_n, r0, r1, r2)
        if max(abs(f0), abs(f1), abs(f2)) <= small:
            break
        d0, d1, d2, regular = f0, f1, f2, True
        if yn > 0.0:
            slope_of(W, w, mu, rho_t, rho_n, y0, y1, yn, space)
            d0, d1, d2, regular = solve_three(space, f0, f1, f2)
        if not regular:
            break
        merit = f0 * f0 + f1 * f1 + f2 * f2
        a = -step_length(W, w, b0, b1, b2, mu, rho_t, rho_n, r0, r1, r2, -d0, -d1, -d2, merit)
        r0, r1, r2 = r0 + a * d0, r1 + a * d1, r2 + a * d2
    return project_cone(r0, r1, r2, mu)

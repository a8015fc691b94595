"""Residuals of a QP's optimality conditions, computed alike for every backend.

For ``min 1/2 x'Hx + g'x subject to l <= C x <= u`` with multiplier z, positive at upper and
negative at lower bounds (Boyd and Vandenberghe, Convex Optimization (2004), section 5.5.3):
``H x + g + C' z = 0``, ``l <= C x <= u``, ``z+ (u - C x) = 0``, ``z- (C x - l) = 0``.
"""
# ruff: noqa: E741 - l and u are the field's letters

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.typing import Floats

GROWTH = 1e4
"""Largest allowed ratio of an answer's terms to the size suggested by the problem's data. Beside
the terms of an iterate that diverges to infinity any residual is small."""


@inner
def posed_well(H: Floats, g: Floats, C: Floats, l: Floats, u: Floats) -> bool:
    """Return whether H, g, C are finite, ``l <= u``, ``l < inf`` and ``u > -inf``."""
    total = 0.0
    for i in range(len(g)):
        row_sum = abs(g[i])
        for j in range(len(g)):
            row_sum += abs(H[i, j])
        total += row_sum
    for k in range(len(l)):
        if not (l[k] <= u[k] and l[k] < math.inf and u[k] > -math.inf):
            return False
        row_sum = 0.0
        for j in range(len(g)):
            row_sum += abs(C[k, j])
        total += row_sum
    return total < math.inf


@kernel
def well_posed(H: Floats, g: Floats, C: Floats, l: Floats, u: Floats) -> bool:
    """Return whether a problem may be passed to a backend (``QPProblem.is_finite``)."""
    return posed_well(H, g, C, l, u)


@kernel
def largest(a: Floats) -> float:
    """Return the infinity norm; infinity if a is not finite."""
    total, norm = 0.0, 0.0
    for i in range(len(a)):
        total += abs(a[i])
        norm = max(norm, abs(a[i]))
    return norm if total < math.inf else math.inf


@kernel
def scale(
    H: Floats,
    g: Floats,
    C: Floats,
    l: Floats,
    u: Floats,
    least: float,
    H_out: Floats,
    g_out: Floats,
    l_out: Floats,
    u_out: Floats,
) -> tuple[float, float]:
    """Write ``H / h, g / c, l h / c, u h / c``; return ``c / h`` and c, or zeros if ill posed.

    h is the largest diagonal entry of H, or 1 if none is positive; c the largest entry of g, or
    ``least`` if that is larger.
    """
    if not posed_well(H, g, C, l, u):
        return 0.0, 0.0
    h = 0.0
    for i in range(len(g)):
        h = max(h, H[i, i])
    h = h if h > 0.0 else 1.0
    c = max(largest(g), least)
    unit = c / h
    for i in range(len(g)):
        g_out[i] = g[i] / c
        for j in range(len(g)):
            H_out[i, j] = H[i, j] / h
    for k in range(len(l)):
        l_out[k], u_out[k] = l[k] / unit, u[k] / unit
    return unit, c


@inner
def row(C: Floats, k: int, x: Floats) -> float:
    """Return entry k of C x."""
    c = 0.0
    for j in range(len(x)):
        c += C[k, j] * x[j]
    return c


@inner
def stationarity(H: Floats, g: Floats, C: Floats, x: Floats, z: Floats) -> tuple[float, float]:
    """Return ``|H x + g + C' z|`` and the largest of its terms, infinity norms."""
    worst, scale = 0.0, 0.0
    for i in range(len(g)):
        Hx, Cz = row(H, i, x), 0.0
        for k in range(len(z)):
            if z[k] != 0.0:
                Cz += C[k, i] * z[k]
        worst = max(worst, abs(Hx + g[i] + Cz))
        scale = max(scale, abs(Hx), abs(g[i]), abs(Cz))
    return worst, scale


@inner
def gap(low: float, high: float, c: float, z: float, slack_scale: float, z_scale: float) -> float:
    """Return the larger of scaled ``min(z+, u - c)`` and ``min(z-, c - l)`` of a row."""
    up = min(max(z, 0.0) / z_scale, max(high - c, 0.0) / slack_scale)
    down = min(max(-z, 0.0) / z_scale, max(c - low, 0.0) / slack_scale)
    return max(up, down)


@inner
def bounds_kept(
    C: Floats, l: Floats, u: Floats, x: Floats, z: Floats
) -> tuple[float, float, float, float]:
    """Return the largest violation of the bounds, complementarity, and the largest Cx and C."""
    worst, scale, open_by, size = 0.0, 0.0, 0.0, 0.0
    for k in range(len(l)):
        c = 0.0
        for j in range(len(x)):
            c += C[k, j] * x[j]
            size = max(size, abs(C[k, j]))
        worst = max(worst, l[k] - c, c - u[k])
        scale = max(scale, abs(c))
        open_by = max(open_by, gap(l[k], u[k], c, z[k], 1.0, 1.0))
    return worst, open_by, scale, size


@inner
def complementarity(
    C: Floats, l: Floats, u: Floats, x: Floats, z: Floats, slack_scale: float, z_scale: float
) -> float:
    """Return the largest scaled ``gap`` of the rows; rows without a multiplier have none."""
    worst = 0.0
    for k in range(len(z)):
        if z[k] != 0.0:
            worst = max(worst, gap(l[k], u[k], row(C, k, x), z[k], slack_scale, z_scale))
    return worst


@inner
def data_sizes(H: Floats, g: Floats, C: Floats, l: Floats, u: Floats) -> tuple[float, float]:
    """Return the sizes of x and of the stationarity terms suggested by the data, at least 1.

    x: the distance of the bounds from the origin, and ``|g| / |H|``. Terms: ``|g|``, ``|H| |x|``.
    """
    h_size, g_size = 0.0, 0.0
    for i in range(len(g)):
        h_size = max(h_size, H[i, i])
        g_size = max(g_size, abs(g[i]))
    x_size = max(1.0, g_size / h_size) if h_size > 0.0 else 1.0
    for k in range(len(l)):
        low = abs(l[k]) if l[k] > -math.inf else 0.0
        bound = max(low, abs(u[k]) if u[k] < math.inf else 0.0)
        if bound > 0.0:
            c = 0.0
            for j in range(len(g)):
                c = max(c, abs(C[k, j]))
            if c > 0.0:
                x_size = max(x_size, bound / c)
    return x_size, max(1.0, g_size, h_size * x_size)


@kernel
def kkt(
    H: Floats, g: Floats, C: Floats, l: Floats, u: Floats, x: Floats, z: Floats
) -> tuple[float, float, float, float]:
    """Return stationarity, feasibility, complementarity, and the largest of them after scaling.

    Scaling divides each by the largest term of its difference, or by 1 if that is smaller. For
    complementarity, the slack is divided by the largest entry of ``C x``, the multiplier by the
    largest multiplier or by the multiplier that weighs as much as the largest term of
    stationarity. No divisor may exceed GROWTH times the size suggested by the problem's data. An
    answer that is not finite has infinite residuals.
    """
    z_size = largest(z)
    if not largest(x) + z_size < math.inf:
        return math.inf, math.inf, math.inf, math.inf
    x_data, s_data = data_sizes(H, g, C, l, u)
    s, s_size = stationarity(H, g, C, x, z)
    f, c, f_size, c_size = bounds_kept(C, l, u, x, z)
    s_size = max(1.0, min(s_size, GROWTH * s_data))
    f_size = max(1.0, min(f_size, GROWTH * c_size * x_data))
    z_size = max(z_size, s_size / max(c_size, 1e-300))
    z_size = max(1.0, min(z_size, GROWTH * s_data / max(c_size, 1e-300)))
    scaled = complementarity(C, l, u, x, z, f_size, z_size)
    return s, f, c, max(s / s_size, f / f_size, scaled)

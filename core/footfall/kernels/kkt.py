"""Residuals of a QP's optimality conditions, the one yardstick for every backend.

For ``min 1/2 x'Hx + g'x subject to l <= C x <= u`` with multiplier z, positive at upper and
negative at lower bounds (Boyd and Vandenberghe, Convex Optimization (2004), section 5.5.3):
``H x + g + C' z = 0``, ``l <= C x <= u``, ``z+ (u - C x) = 0``, ``z- (C x - l) = 0``.
"""
# ruff: noqa: E741 - l and u are the field's letters

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from footfall.kernels.compile import inner, kernel

Floats = npt.NDArray[np.float64]
GROWTH = 1e4
"""How many times larger than the problem's data the terms of an answer may be that its residuals
are judged by. An iterate that runs off to infinity has terms beside which any residual is small."""


@kernel
def well_posed(H: Floats, g: Floats, C: Floats, l: Floats, u: Floats) -> bool:
    """Return whether H, g, C are finite, ``l <= u``, ``l < inf`` and ``u > -inf``."""
    total = 0.0
    for i in range(len(g)):
        total += abs(g[i])
        for j in range(len(g)):
            total += abs(H[i, j])
    for k in range(len(l)):
        if not (l[k] <= u[k] and l[k] < math.inf and u[k] > -math.inf):
            return False
        for j in range(len(g)):
            total += abs(C[k, j])
    return total < math.inf


@kernel
def largest(a: Floats) -> float:
    """Return the infinity norm; infinity if a is not finite."""
    total, norm = 0.0, 0.0
    for i in range(len(a)):
        total += abs(a[i])
        norm = max(norm, abs(a[i]))
    return norm if total < math.inf else math.inf


@kernel
def largest_diagonal(H: Floats) -> float:
    """Return the largest diagonal entry, at least 0."""
    norm = 0.0
    for i in range(len(H)):
        norm = max(norm, H[i, i])
    return norm


@inner
def largest_entry(C: Floats) -> float:
    """Return the largest absolute entry of a matrix."""
    norm = 0.0
    for k in range(C.shape[0]):
        for j in range(C.shape[1]):
            norm = max(norm, abs(C[k, j]))
    return norm


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
            Cz += C[k, i] * z[k]
        worst = max(worst, abs(Hx + g[i] + Cz))
        scale = max(scale, abs(Hx), abs(g[i]), abs(Cz))
    return worst, scale


@inner
def feasibility(C: Floats, l: Floats, u: Floats, x: Floats) -> tuple[float, float]:
    """Return the distance of ``C x`` to its bounds and the largest entry of ``C x``."""
    worst, scale = 0.0, 0.0
    for k in range(len(l)):
        c = row(C, k, x)
        worst = max(worst, l[k] - c, c - u[k])
        scale = max(scale, abs(c))
    return worst, scale


@inner
def complementarity(
    C: Floats, l: Floats, u: Floats, x: Floats, z: Floats, slack_scale: float, z_scale: float
) -> float:
    """Return ``min(z+, u - C x)`` and ``min(z-, C x - l)``, the larger, both sides in scale."""
    worst = 0.0
    for k in range(len(z)):
        c = row(C, k, x)
        up = min(max(z[k], 0.0) / z_scale, max(u[k] - c, 0.0) / slack_scale)
        down = min(max(-z[k], 0.0) / z_scale, max(c - l[k], 0.0) / slack_scale)
        worst = max(worst, up, down)
    return worst


@inner
def data_sizes(H: Floats, g: Floats, C: Floats, l: Floats, u: Floats) -> tuple[float, float]:
    """Return the sizes of x and of the terms of stationarity that the data suggest, at least 1.

    x: the distance of the bounds from the origin, and ``|g| / |H|``. Terms: ``|g|``, ``|H| |x|``.
    """
    h_size, g_size = 0.0, 0.0
    for i in range(len(g)):
        h_size = max(h_size, H[i, i])
        g_size = max(g_size, abs(g[i]))
    x_size = max(1.0, g_size / h_size) if h_size > 0.0 else 1.0
    for k in range(len(l)):
        c = 0.0
        for j in range(len(g)):
            c = max(c, abs(C[k, j]))
        for bound in (l[k], u[k]):
            if c > 0.0 and abs(bound) < math.inf:
                x_size = max(x_size, abs(bound) / c)
    return x_size, max(1.0, g_size, h_size * x_size)


@kernel
def kkt(
    H: Floats, g: Floats, C: Floats, l: Floats, u: Floats, x: Floats, z: Floats
) -> tuple[float, float, float, float]:
    """Return stationarity, feasibility, complementarity, and the largest of them in scale.

    In scale: divided by the largest of the terms that it is the difference of, or by 1 if that is
    smaller; for complementarity the slack by the largest entry of ``C x``, the multiplier by the
    largest multiplier, or by what it takes to weigh as much as the largest term of stationarity.
    None of these may exceed GROWTH times what the problem's data suggest. An answer that is not
    finite has residuals of infinity.
    """
    z_size = largest(z)
    if not largest(x) + z_size < math.inf:
        return math.inf, math.inf, math.inf, math.inf
    x_data, s_data = data_sizes(H, g, C, l, u)
    c_size = largest_entry(C)
    s, s_size = stationarity(H, g, C, x, z)
    f, f_size = feasibility(C, l, u, x)
    c = complementarity(C, l, u, x, z, 1.0, 1.0)
    s_size = max(1.0, min(s_size, GROWTH * s_data))
    f_size = max(1.0, min(f_size, GROWTH * c_size * x_data))
    z_size = max(z_size, s_size / max(c_size, 1e-300))
    z_size = max(1.0, min(z_size, GROWTH * s_data / max(c_size, 1e-300)))
    scaled = complementarity(C, l, u, x, z, f_size, z_size)
    return s, f, c, max(s / s_size, f / f_size, scaled)

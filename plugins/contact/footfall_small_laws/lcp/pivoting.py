"""Solution of a contact LCP: Lemke's method, retried with other rays, then sweeps."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats
from footfall_small_laws.lcp import kernels
from footfall_small_laws.lcp.pyramid import PyramidLCP

RAYS = 5
"""Number of covering vectors to try: some fail in degenerate problems of ill-scaled contacts."""
DIVERGED = 1e3
"""Growth of the residual that ends the sweeps."""


def solve_lcp(
    lcp: PyramidLCP, tolerance: float, max_pivots: int, max_sweeps: int
) -> tuple[Floats, int]:
    """Return the best z found, and the number of pivots; ``lcp.residual(z)`` is its residual."""
    n, spent = len(lcp.q), 0
    best = np.zeros(n)
    least = lcp.residual(best)
    for k in range(RAYS):
        d = np.ones(n) if k == 0 else np.random.default_rng(k).uniform(1.0, 2.0, n)
        z, pivots = _pivot(lcp.M, lcp.q, d, max_pivots - spent)
        spent += pivots
        residual = lcp.residual(z)
        if residual < least:
            best, least = z, residual
        if least <= tolerance or spent >= max_pivots:
            break
    if least > tolerance:
        z, pivots = _sweep(lcp, tolerance, max_pivots, max_sweeps)
        spent += pivots
        best = z if lcp.residual(z) < least else best
    return best, spent


def _sweep(
    lcp: PyramidLCP, tolerance: float, max_pivots: int, max_sweeps: int
) -> tuple[Floats, int]:
    """Solve contact by contact with the others fixed (Gauss-Seidel); return z and the pivots."""
    z, spent = np.zeros(len(lcp.q)), 0
    size = len(lcp.directions) + 2
    start = lcp.residual(z)
    for _ in range(max_sweeps):
        for first in range(0, len(z), size):
            own = slice(first, first + size)
            M = np.ascontiguousarray(lcp.M[own, own])
            q = lcp.q[own] + lcp.M[own] @ z - M @ z[own]
            z[own], pivots = _pivot(M, q, np.ones(size), max_pivots)
            spent += pivots
        residual = lcp.residual(z)
        if residual <= tolerance or residual > DIVERGED * start:
            break
    return z, spent


def _pivot(M: Floats, q: Floats, d: Floats, most: int) -> tuple[Floats, int]:
    """Run Lemke's method once; return its last z and the number of pivots."""
    n = len(q)
    z, T = np.zeros(n), np.zeros((n, n + 2))
    basic, place, nonbasic = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n + 1, np.int64)
    pivots = kernels.lemke(M, q, d, z, T, basic, place, nonbasic, most)
    return z, int(pivots)

"""The gaps of a plane."""

from __future__ import annotations

from footfall.api.kernels import kernel


@kernel
def plane_gap(points, normal, offset, gap, time):
    """Write ``normal . x - offset``, the same at any time."""
    a, b, c = normal[0], normal[1], normal[2]
    for i in range(len(gap)):
        gap[i] = a * points[i, 0] + b * points[i, 1] + c * points[i, 2] - offset

"""Coefficients of the ground in patches, in kernels."""

from __future__ import annotations

import math

from footfall.jit.compiling import kernel


@kernel
def patch_coefficients(points, gap, normal, bounds, values, friction, restitution):
    """Overwrite coefficients of points whose ground position lies in a patch; the last patch wins.

    The ground position of a point is ``x - gap normal``. ``bounds`` (patches, 4) are x from, x to,
    y from, y to; ``values`` (patches, 2) friction and restitution, NaN if a patch gives none.
    """
    for i in range(len(gap)):
        x = points[i, 0] - gap[i] * normal[i, 0]
        y = points[i, 1] - gap[i] * normal[i, 1]
        for p in range(len(bounds)):
            if bounds[p, 0] <= x < bounds[p, 1] and bounds[p, 2] <= y < bounds[p, 3]:
                if not math.isnan(values[p, 0]):
                    friction[i] = values[p, 0]
                if not math.isnan(values[p, 1]):
                    restitution[i] = values[p, 1]

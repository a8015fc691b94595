"""Poses of links as homogeneous matrices and quaternions."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel


@inner
def quaternion_of(a, b, c, d, e, f, g, h, k):
    """Return the unit quaternion x, y, z, w of a rotation given by its columns.

    It is taken from the largest of its four squares (Shepperd 1978), so that nothing is divided by
    a small number.
    """
    trace = a + e + k
    if trace >= max(a, e, k):
        s = math.sqrt(1.0 + trace)
        x, y, z, w = (f - h) / s, (g - c) / s, (b - d) / s, s
    elif a >= e and a >= k:
        s = math.sqrt(1.0 + a - e - k)
        x, y, z, w = s, (b + d) / s, (g + c) / s, (f - h) / s
    elif e >= k:
        s = math.sqrt(1.0 - a + e - k)
        x, y, z, w = (b + d) / s, s, (f + h) / s, (g - c) / s
    else:
        s = math.sqrt(1.0 - a - e + k)
        x, y, z, w = (g + c) / s, (f + h) / s, s, (b - d) / s
    return 0.5 * x, 0.5 * y, 0.5 * z, 0.5 * w


@kernel
def link_poses(pose, out):
    """Write position and unit quaternion x, y, z, w of every link."""
    for i in range(len(pose)):
        for m in range(3):
            out[i, m] = pose[i, 9 + m]
        out[i, 3], out[i, 4], out[i, 5], out[i, 6] = quaternion_of(
            pose[i, 0],
            pose[i, 1],
            pose[i, 2],
            pose[i, 3],
            pose[i, 4],
            pose[i, 5],
            pose[i, 6],
            pose[i, 7],
            pose[i, 8],
        )

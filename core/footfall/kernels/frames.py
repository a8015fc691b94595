"""Poses for visualizers."""

from __future__ import annotations

import math

from footfall.kernels.compile import kernel


@kernel
def link_poses(pose, out):
    """Write position and unit quaternion x, y, z, w of every link.

    The quaternion is taken from the largest of its four squares (Shepperd 1978), so that nothing
    is divided by a small number.
    """
    for i in range(len(pose)):
        a, b, c = pose[i, 0], pose[i, 1], pose[i, 2]
        d, e, f = pose[i, 3], pose[i, 4], pose[i, 5]
        g, h, k = pose[i, 6], pose[i, 7], pose[i, 8]
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
        for m in range(3):
            out[i, m] = pose[i, 9 + m]
        out[i, 3], out[i, 4], out[i, 5], out[i, 6] = 0.5 * x, 0.5 * y, 0.5 * z, 0.5 * w

"""Poses of links as homogeneous matrices and quaternions."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.spatial.rotation import turned


@inner
def quaternion_of(a, b, c, d, e, f, g, h, k):
    """Return the unit quaternion x, y, z, w of a rotation given by its columns.

    Computed from the largest of its four squares (Shepperd 1978), so that no small number is a
    divisor.
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


@inner
def write_pose(pose, link, place, out):
    """Write the homogeneous matrix of a frame placed in a link: ``X_link [place]``."""
    for column in range(4):
        at = 3 * column
        x, y, z = turned(pose, link, place[at], place[at + 1], place[at + 2])
        out[0, column], out[1, column], out[2, column] = x, y, z
    for k in range(3):
        out[k, 3] += pose[link, 9 + k]


@kernel
def link_poses(pose, out):
    """Write position and unit quaternion x, y, z, w of every link."""
    for i in range(len(pose)):
        for m in range(3):
            out[i, m] = pose[i, 9 + m]
        a, b, c = pose[i, 0], pose[i, 1], pose[i, 2]
        d, e, f = pose[i, 3], pose[i, 4], pose[i, 5]
        x, y, z, w = quaternion_of(a, b, c, d, e, f, pose[i, 6], pose[i, 7], pose[i, 8])
        out[i, 3], out[i, 4], out[i, 5], out[i, 6] = x, y, z, w

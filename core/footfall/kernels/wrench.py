"""The wrench of the ground on each foot, in the foot's own frame."""

from __future__ import annotations

from footfall.kernels.compile import inner


@inner
def place_feet(candidates, dynamics):
    """Write the world pose of every foot, for the wrenches of the step that begins."""
    pose, inner_frame = dynamics.pose, candidates.foot_frame
    for f in range(len(candidates.foot_link)):
        link = candidates.foot_link[f]
        for c in range(4):
            x, y, z = inner_frame[f, 3 * c], inner_frame[f, 3 * c + 1], inner_frame[f, 3 * c + 2]
            for k in range(3):
                candidates.foot_pose[f, 3 * c + k] = (
                    pose[link, k] * x + pose[link, 3 + k] * y + pose[link, 6 + k] * z
                )
        for k in range(3):
            candidates.foot_pose[f, 9 + k] += pose[link, 9 + k]


@inner
def record_wrenches(candidates, row, position, wrench):
    """Write the ground's wrench on every foot, in the foot's frame.

    ``force = R' sum f_i``, ``moment = R' sum (p_i - p_foot) x f_i``, with the positions and the
    frame at the start of the step, as recorded. ``position`` and ``wrench`` are where these
    variables start in the row.
    """
    for k in range(6 * len(candidates.foot_link)):
        row[wrench + k] = 0.0
    for c in range(len(candidates.link)):
        f = candidates.foot[c]
        f0, f1, f2 = candidates.force[c, 0], candidates.force[c, 1], candidates.force[c, 2]
        if f < 0 or (f0 == 0.0 and f1 == 0.0 and f2 == 0.0):
            continue
        at_point, pose = position + 3 * c, candidates.foot_pose[f]
        x, y, z = (
            row[at_point] - pose[9],
            row[at_point + 1] - pose[10],
            row[at_point + 2] - pose[11],
        )
        m0, m1, m2 = y * f2 - z * f1, z * f0 - x * f2, x * f1 - y * f0
        for k in range(3):
            a, b, d = pose[3 * k], pose[3 * k + 1], pose[3 * k + 2]
            row[wrench + 6 * f + k] += a * f0 + b * f1 + d * f2
            row[wrench + 6 * f + 3 + k] += a * m0 + b * m1 + d * m2

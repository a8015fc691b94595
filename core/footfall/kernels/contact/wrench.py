"""The wrench of what touches each foot, in the foot's own frame."""

from __future__ import annotations

from footfall.jit.compiling import inner


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
        p = position + 3 * c
        add_wrench(
            candidates.foot_pose[f],
            (row[p], row[p + 1], row[p + 2]),
            (f0, f1, f2),
            row,
            wrench + 6 * f,
        )


@inner
def add_wrench(pose, point, force, row, to):
    """Add a force at a point, world axes, to the wrench on a frame, in that frame."""
    f0, f1, f2 = force
    x, y, z = point[0] - pose[9], point[1] - pose[10], point[2] - pose[11]
    m0, m1, m2 = y * f2 - z * f1, z * f0 - x * f2, x * f1 - y * f0
    for k in range(3):
        a, b, d = pose[3 * k], pose[3 * k + 1], pose[3 * k + 2]
        row[to + k] += a * f0 + b * f1 + d * f2
        row[to + 3 + k] += a * m0 + b * m1 + d * m2


@inner
def add_detected_wrenches(candidates, detected, count, row, wrench):
    """Add to the feet's wrenches what bodies do that touch the feet's links.

    Of several feet on a link, the one takes a contact whose frame's origin is nearest to it.
    """
    for d in range(count):
        f0, f1, f2 = detected.force[d, 0], detected.force[d, 1], detected.force[d, 2]
        if f0 == 0.0 and f1 == 0.0 and f2 == 0.0:
            continue
        point = (detected.position[d, 0], detected.position[d, 1], detected.position[d, 2])
        for side in range(2):
            link, sign = detected.link[d, side], 2.0 * side - 1.0
            f = nearest_foot(candidates, link, point)
            if f >= 0:
                force = (sign * f0, sign * f1, sign * f2)
                add_wrench(candidates.foot_pose[f], point, force, row, wrench + 6 * f)


@inner
def nearest_foot(candidates, link, point):
    """Return the foot on a link whose frame's origin is nearest to a point, -1 if there is none."""
    nearest, least = -1, 1e300
    for f in range(len(candidates.foot_link)):
        if candidates.foot_link[f] != link or link < 0:
            continue
        pose = candidates.foot_pose[f]
        x, y, z = point[0] - pose[9], point[1] - pose[10], point[2] - pose[11]
        if x * x + y * y + z * z < least:
            nearest, least = f, x * x + y * y + z * z
    return nearest

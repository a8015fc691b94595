"""Forces of a step: impulses, status and mean forces by contact, and the wrench on each foot."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner
from footfall.problem.arrays import ProblemSize
from footfall.spatial.rotation import transposed_times, turned
from footfall_stepper.kernels.contact.detected import RELEASE, mean_force, release_detected
from footfall_stepper.kernels.contact.directions import impulse_of


@inner
def add_impulses(candidates, detected, problem):
    """Add the problem's impulses and friction moments to the sums of the step, world axes."""
    declared = len(candidates.link)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        c = problem.candidate[b]
        if c < 0:
            continue
        if c < declared:
            impulse = impulse_of(candidates.directions, c, problem, b)
        else:
            impulse = impulse_of(detected.directions, c - declared, problem, b)
        for k in range(3):
            if c < declared:
                candidates.impulse[c, k] += impulse[k]
            else:
                detected.impulse[c - declared, k] += impulse[k]
        m = problem.moments[b] if len(problem.moments) > 0 else -1
        if m >= 0:
            i = problem.impulse
            moment = transposed_times(problem.frame, m, i[3 * m], i[3 * m + 1], i[3 * m + 2])
            for k in range(3):
                if c < declared:
                    candidates.moment[c, k] += moment[k]
                else:
                    detected.moment[c - declared, k] += moment[k]


@inner
def status_of(problem, b, target):
    """Return 0 if block b's contact is open, 1 if it sticks, 2 if it slips.

    It slips if its impulse is on the cone (to 1e-6) and it moves (over 1e-9 m/s).
    """
    at = 3 * b
    r_n = problem.impulse[at + 2]
    if not r_n > 0.0:
        return 0.0
    rr = problem.impulse[at] ** 2 + problem.impulse[at + 1] ** 2
    uu = target[at] ** 2 + target[at + 1] ** 2
    if len(problem.moments) > 0 and problem.moments[b] >= 0:
        for row in range(3 * problem.moments[b], 3 * problem.moments[b] + 3):
            rr, uu = rr + problem.impulse[row] ** 2, uu + target[row] ** 2
    r_t, u_t = math.sqrt(rr), math.sqrt(uu)
    moves = u_t > 1e-9 * problem.metre[0]
    return 2.0 if r_t >= (1.0 - 1e-6) * problem.mu[b] * r_n and moves else 1.0


@inner
def collect_forces(candidates, detected, problem, state, target):
    """Store impulses by candidate: warm start, sum over the step, status, touching."""
    declared, metre = len(candidates.link), problem.metre[0]
    add_impulses(candidates, detected, problem)
    release_detected(detected, state, metre)
    for c in range(declared):
        candidates.status[c] = 0.0
        near = candidates.gap[c] <= (RELEASE * metre if state.touching[c] != 0.0 else 0.0)
        state.touching[c] = 1.0 if near else 0.0
        for k in range(3):
            state.impulse[c, k] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        c = problem.candidate[b]
        if c < 0:
            continue
        status = status_of(problem, b, target)
        if c < declared:
            impulse = impulse_of(candidates.directions, c, problem, b)
            for k in range(3):
                state.impulse[c, k] = impulse[k]
            candidates.status[c] = status
            state.touching[c] = max(state.touching[c], min(status, 1.0))
            continue
        d = c - declared
        impulse = impulse_of(detected.directions, d, problem, b)
        for k in range(3):
            state.detected_impulse[d, k] = impulse[k]
        detected.status[d] = status
        state.detected_touching[d] = max(state.detected_touching[d], min(status, 1.0))


@inner
def mean_forces(candidates, ground, frame, dt):
    """Write each candidate's mean world force and moment over the step from its sums."""
    for c in range(len(candidates.moment)):
        for k in range(3):
            candidates.moment[c, k] /= dt
    for c in range(len(candidates.link)):
        i0, i1, i2 = candidates.impulse[c, 0], candidates.impulse[c, 1], candidates.impulse[c, 2]
        if i0 == 0.0 and i1 == 0.0 and i2 == 0.0:
            for k in range(3):
                candidates.force[c, k] = 0.0
            continue
        force = mean_force(ground.normal, candidates.impulse, c, frame, dt)
        for k in range(3):
            candidates.force[c, k] = force[k]


@inner
def place_feet(candidates, dynamics):
    """Write the world pose of every foot, for the wrenches of the coming step."""
    pose, inner_frame = dynamics.pose, candidates.foot_frame
    for f in range(len(candidates.foot_link)):
        link = candidates.foot_link[f]
        for c in range(4):
            x, y, z = inner_frame[f, 3 * c], inner_frame[f, 3 * c + 1], inner_frame[f, 3 * c + 2]
            axis = turned(pose, link, x, y, z)
            for k in range(3):
                candidates.foot_pose[f, 3 * c + k] = axis[k]
        for k in range(3):
            candidates.foot_pose[f, 9 + k] += pose[link, 9 + k]


@inner
def record_wrenches(candidates, row, position, wrench):
    """Write the ground's wrench on every foot, in the foot's frame.

    ``force = R' sum f_i``, ``moment = R' sum (p_i - p_foot) x f_i``, with the positions and the
    frame at the start of the step, as recorded. ``position`` and ``wrench`` are the columns at
    which these variables start in the row.
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
        if len(candidates.moment) > 0:
            add_moment(candidates.foot_pose[f], candidates.moment[c], 1.0, row, wrench + 6 * f)


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
def add_moment(pose, moment, sign, row, to):
    """Add a moment, world axes, to the wrench on a frame, in that frame."""
    for k in range(3):
        for j in range(3):
            row[to + 3 + k] += sign * pose[3 * k + j] * moment[j]


@inner
def add_detected_wrenches(candidates, detected, count, row, wrench):
    """Add the forces of bodies that touch the feet's links to the feet's wrenches.

    If a link has several feet, the foot with the nearest frame origin takes the contact.
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
                if len(detected.moment) > 0:
                    moment, to = detected.moment[d], wrench + 6 * f
                    add_moment(candidates.foot_pose[f], moment, sign, row, to)


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

"""External wrenches on links as generalized forces, ``tau = J' f``, and their times."""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel
from footfall.jit.tables import opener
from footfall.spatial.rotation import placed, turned
from footfall.world.arrays import Dynamics, Joints
from footfall_stepper.world.step_arrays import PushArrays, ScheduleArrays, WrenchSource

schedule = opener(ScheduleArrays, 0)
scheduled = opener(PushArrays, len(ScheduleArrays.__annotations__))
joints = opener(Joints, 0)
dynamics = opener(Dynamics, len(Joints.__annotations__))


@inner
def along_world(dynamics, pushes, i, k):
    """Return three components of wrench i, starting at the k-th, in world axes."""
    f0, f1, f2 = pushes.wrench[i, k], pushes.wrench[i, k + 1], pushes.wrench[i, k + 2]
    if pushes.frame[i] == 0:
        return f0, f1, f2
    return turned(dynamics.pose, pushes.link[i], f0, f1, f2)


@inner
def apply_pushes(topology, joints, dynamics, pushes, tree):
    """Write the generalized external force of a tree whose poses and twists S are up to date.

    ``external_k = effort_k + sum over wrenches of S_k . (f, m + x x f)`` with x the world position
    of the pushed point. Without pushes nothing is written.
    """
    if pushes.acting[1] == 0:
        return
    first = topology.tree_v[tree]
    for k in range(first, topology.tree_v[tree + 1]):
        joints.external[k] = pushes.effort[k]
    R, S = dynamics.pose, dynamics.S
    for i in range(pushes.acting[0]):
        link = pushes.link[i]
        if topology.link_tree[link] != tree:
            continue
        a, b, c = pushes.point[i, 0], pushes.point[i, 1], pushes.point[i, 2]
        x, y, z = placed(R, link, a, b, c)
        f0, f1, f2 = along_world(dynamics, pushes, i, 0)
        m0, m1, m2 = along_world(dynamics, pushes, i, 3)
        m0, m1, m2 = m0 + y * f2 - z * f1, m1 + z * f0 - x * f2, m2 + x * f1 - y * f0
        for p in range(topology.chain_start[link], topology.chain_start[link + 1]):
            k = first + topology.chain[p]
            joints.external[k] += S[k, 0] * f0 + S[k, 1] * f1 + S[k, 2] * f2
            joints.external[k] += S[k, 3] * m0 + S[k, 4] * m1 + S[k, 5] * m2


@inner
def integral_of_push(plan, i, k, t):
    """Return the integral of component k up to time t: full rows and part of the next one.

    Values are interpolated linearly between rows; before and after the rows they are zero.
    """
    first, last, time = plan.first[i], plan.first[i + 1] - 1, plan.time
    t = min(max(t, time[first]), time[last], plan.duration[i])
    if t <= time[first]:
        return 0.0
    r = first
    while r < last - 1 and time[r + 1] <= t:
        r += 1
    part = (t - time[r]) / (time[r + 1] - time[r])
    here = (1.0 - part) * plan.value[r, k] + part * plan.value[r + 1, k]
    return plan.integral[r, k] + 0.5 * (t - time[r]) * (plan.value[r, k] + here)


@inner
def mean_push(plan, i, k, start, end):
    """Return the mean of component k of push i from ``start`` to ``end`` [s] since it began."""
    first = plan.first[i]
    if plan.first[i + 1] - first == 1:
        part = min(end, plan.duration[i]) - max(start, 0.0)
        return plan.value[first, k] * min(max(part / (end - start), 0.0), 1.0)
    before, after = integral_of_push(plan, i, k, start), integral_of_push(plan, i, k, end)
    return (after - before) / (end - start)


@kernel
def begin_pushes(table, time, dt):
    """Set the pushes that act over the step from ``time`` [s] of length dt [s]."""
    plan, pushes = schedule(table), scheduled(table)
    links = plan.wrenches[WrenchSource.SCHEDULED]
    for i in range(links):
        start = time - plan.start[i]
        for k in range(6):
            pushes.wrench[i, k] = mean_push(plan, i, k, start, start + dt)
    for k in range(len(plan.asked)):
        pushes.effort[k] = plan.asked[k]
    for j in range(len(plan.dof)):
        start = time - plan.start[links + j]
        pushes.effort[plan.dof[j]] += mean_push(plan, links + j, 0, start, start + dt)
    pushes.acting[0], pushes.acting[1] = links + plan.wrenches[WrenchSource.ADDED], 1
    pushes.acting[2] = 0


@kernel
def end_pushes(table, world, row):
    """Record the scene's pushes; clear the pushes that Python requested for the step.

    Wrenches are recorded in world axes, about the pushed points, at the last evaluated link poses.
    Without pushes of the scene no push remains.
    """
    plan, pushes, external = schedule(table), scheduled(table), joints(world).external
    place, count = plan.place, plan.wrenches
    for i in range(count[WrenchSource.SCHEDULED]):
        for k in range(0, 6, 3):
            a, b, c = along_world(dynamics(world), pushes, i, k)
            at = place[0] + 6 * i + k
            row[at], row[at + 1], row[at + 2] = a, b, c
    for k in range(len(external)):
        plan.asked[k] = 0.0
        if place[1] >= 0:
            row[place[1] + k] = external[k]
        else:
            external[k] = 0.0
    count[WrenchSource.ADDED] = 0
    if place[1] < 0:
        pushes.acting[2] = pushes.acting[0]
        pushes.acting[0] = pushes.acting[1] = 0

"""Declared contact points on the ground: positions, gaps, velocities, times of impact."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.spatial.rotation import placed, turned, velocity_at
from footfall.world.arrays import CandidateKind
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.coefficients import pair_restitution
from footfall_stepper.world.step_arrays import NEVER, StepFigure


@inner
def impact_time(gap, speed, free_speed, dt):
    """Return the time when a point reaches the ground within the step, or 2 dt if it does not.

    Along the ballistic path ``gap + u t + a t^2 / 2 = 0`` with ``a = (u_free - u) / dt``.
    """
    a = 0.5 * (free_speed - speed) / dt
    if gap <= 0.0:
        return 0.0 if speed < 0.0 else 2.0 * dt
    disc = speed * speed - 4.0 * a * gap
    if disc < 0.0:
        return 2.0 * dt
    root = math.sqrt(disc)
    # The smallest positive root, in the form without cancellation.
    if speed < 0.0:
        return 2.0 * gap / (root - speed)
    if a < 0.0:
        return (-speed - root) / (2.0 * a)
    return 2.0 * dt


@inner
def locate(candidates, dynamics):
    """Write the world position for the query of the terrain: the point, or the centre."""
    pose, local, query = dynamics.pose, candidates.local, candidates.query
    for c in range(len(candidates.link)):
        link = candidates.link[c]
        x, y, z = placed(pose, link, local[c, 0], local[c, 1], local[c, 2])
        query[c, 0], query[c, 1], query[c, 2] = x, y, z


@inner
def rim_direction(candidates, dynamics, normal, c):
    """Return the world direction from a rim's centre to its candidate point.

    The lowest point lies along ``d = -(n - (n.a) a)``; the others at an angle about the axis a.
    A rim that lies flat has no lowest point: a direction fixed to the body is used.
    """
    pose, link = dynamics.pose, candidates.link[c]
    x, y, z = candidates.axis[c, 0], candidates.axis[c, 1], candidates.axis[c, 2]
    a0, a1, a2 = turned(pose, link, x, y, z)
    na = normal[c, 0] * a0 + normal[c, 1] * a1 + normal[c, 2] * a2
    d0, d1, d2 = na * a0 - normal[c, 0], na * a1 - normal[c, 1], na * a2 - normal[c, 2]
    size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    if size < 1e-9:
        i = 0 if abs(x) < 0.8 else 1
        b0, b1, b2 = pose[link, 3 * i], pose[link, 3 * i + 1], pose[link, 3 * i + 2]
        ba = b0 * a0 + b1 * a1 + b2 * a2
        d0, d1, d2 = b0 - ba * a0, b1 - ba * a1, b2 - ba * a2
        size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    d0, d1, d2 = d0 / size, d1 / size, d2 / size
    cos, sin = math.cos(candidates.phase[c]), math.sin(candidates.phase[c])
    e0, e1, e2 = a1 * d2 - a2 * d1, a2 * d0 - a0 * d2, a0 * d1 - a1 * d0
    return cos * d0 + sin * e0, cos * d1 + sin * e1, cos * d2 + sin * e2


@inner
def touch_points(candidates, dynamics, ground):
    """Write contact point and gap of every candidate from the terrain's sample.

    Sphere: ``x = c - r n``; rim: ``x = c + r d``; the ground is locally a plane:
    ``gap(x) = gap(c) + n . (x - c)``.
    """
    normal = ground.normal
    for c in range(len(candidates.link)):
        kind, r = candidates.kind[c], candidates.radius[c]
        d0, d1, d2 = 0.0, 0.0, 0.0
        if kind == CandidateKind.SPHERE:
            d0, d1, d2 = -normal[c, 0], -normal[c, 1], -normal[c, 2]
        elif kind == CandidateKind.RIM:
            d0, d1, d2 = rim_direction(candidates, dynamics, normal, c)
        candidates.position[c, 0] = candidates.query[c, 0] + r * d0
        candidates.position[c, 1] = candidates.query[c, 1] + r * d1
        candidates.position[c, 2] = candidates.query[c, 2] + r * d2
        candidates.gap[c] = ground.gap[c] + r * (
            normal[c, 0] * d0 + normal[c, 1] * d1 + normal[c, 2] * d2
        )


@inner
def normal_speed(candidates, ground, twist, c):
    """Return the normal velocity of a candidate's point relative to the ground, [m/s]."""
    x, y, z = candidates.position[c, 0], candidates.position[c, 1], candidates.position[c, 2]
    a, b, d = velocity_at(twist, candidates.link[c], x, y, z)
    g, n = ground.velocity, ground.normal
    a, b, d = a - g[c, 0], b - g[c, 1], d - g[c, 2]
    return a * n[c, 0] + b * n[c, 1] + d * n[c, 2]


@inner
def stays_out(gap, u, e, speeds):
    """Return whether a point stays out of a contact problem because of a coming or past impact.

    Args:
        gap: [m].
        u: normal velocity, [m/s].
        e: coefficient of restitution, [-].
        speeds: three speeds, [m/s]. Approach speed from which restituting points stay out of a
            part of a step that ends at their impact; over e, the departure speed from which
            they stay out after it; approach speed from which impacts of all points are located.
    """
    skip, leave, located = speeds
    strikes = min(skip, located) if e > 0.0 else located
    return (e > 0.0 and u > e * leave) or (skip < NEVER and gap > 0.0 and u < -strikes)


@inner
def is_awaited(step, gap, touching, e):
    """Return whether an impact of a point may end a part of the step; count new touches.

    True for a restituting point, and for any point that has not touched if impacts are located.
    False for touching points under a compliant law: its springs take any load, however fast.
    """
    touched = gap <= 0.0 and touching != 0.0
    step[StepFigure.NEW_TOUCHES] += 1.0 if gap <= 0.0 and not touched else 0.0
    if touched and step[StepFigure.COMPLIANT] != 0.0:
        return False
    return e > 0.0 or (step[StepFigure.LOCATED] < NEVER and not touched)


@inner
def note_impact(step, gap, e, u, u_free, threshold, dt):
    """Store the impact of a point if it is the earliest that is fast enough.

    Fast enough is above the threshold for a restituting point, and above ``StepFigure.LOCATED``
    always. Of a point without restitution only the present speed counts: what accelerates it within
    the step may be a load that the contacts take.
    """
    located = step[StepFigure.LOCATED]
    t = impact_time(gap, u, u_free, dt)
    approach = -(u + (u_free - u) / dt * t) if e > 0.0 else -u
    slowest = min(threshold, located) if e > 0.0 else located
    if t <= dt and approach > slowest and t < step[StepFigure.NEXT_IMPACT]:
        step[StepFigure.NEXT_IMPACT], step[StepFigure.IMPACT_SPEED] = t, approach
        step[StepFigure.IMPACT_BOUNCES] = e


@inner
def look_ahead(candidates, ground, dynamics, state, monitor, threshold, dt):
    """Find the next impact at which to split the step, and points that newly touch."""
    step = monitor.step
    step[StepFigure.NEXT_IMPACT], step[StepFigure.NEW_TOUCHES] = 2.0 * dt, 0.0
    step[StepFigure.SWEPT] = 0.0
    for c in range(len(candidates.link)):
        gap, e = candidates.gap[c], pair_restitution(candidates, ground, c)
        if is_awaited(step, gap, state.touching[c], e):
            u = normal_speed(candidates, ground, dynamics.twist, c)
            u_free = normal_speed(candidates, ground, dynamics.free_twist, c)
            note_impact(step, gap, e, u, u_free, threshold, dt)


@kernel
def fast_points(table, far, dt):
    """Return whether a point moves more than ``far`` [m] within dt, and may reach the ground."""
    candidates, twist = tables.open_candidates(table), tables.open_dynamics(table).twist
    fast = 0
    for c in range(len(candidates.link)):
        x, y, z = candidates.position[c, 0], candidates.position[c, 1], candidates.position[c, 2]
        u, v, w = velocity_at(twist, candidates.link[c], x, y, z)
        moved = dt * math.sqrt(u * u + v * v + w * w)
        if moved > far and candidates.gap[c] < 2.0 * moved:
            fast = 1
    return fast

"""Contacts found by collision detection, between two moving bodies or with something fixed.

They enter the contact problem after the declared points. Body 1 is side 0, body 2 side 1.
Velocities are those of body 2 relative to body 1. Impulses act on body 2 and, reversed, on body 1.
"""

from __future__ import annotations

from footfall.config.friction import DirectionColumn
from footfall.jit.compiling import inner
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.problem.blocks import enter_block
from footfall.spatial.rotation import tangent_basis, transposed_times, velocity_at
from footfall_stepper.kernels.contact.declared import is_awaited, note_impact, stays_out
from footfall_stepper.kernels.contact.directions import is_directed, scale_rows
from footfall_stepper.world.step_arrays import NEVER

RELEASE = 1e-9
"""Gap above which a closed contact counts as open, [m]; smaller gaps may be rounding."""


@inner
def meeting_speed(detected, twist, d):
    """Return the normal velocity of body 2 relative to body 1 at a contact, [m/s]."""
    x, y, z = detected.position[d, 0], detected.position[d, 1], detected.position[d, 2]
    n0, n1, n2 = detected.normal[d, 0], detected.normal[d, 1], detected.normal[d, 2]
    v0, v1, v2 = velocity_at(twist, detected.link[d, 1], x, y, z)
    if detected.link[d, 0] >= 0:
        u0, u1, u2 = velocity_at(twist, detected.link[d, 0], x, y, z)
        v0, v1, v2 = v0 - u0, v1 - u1, v2 - u2
    return v0 * n0 + v1 * n1 + v2 * n2


@inner
def look_ahead_detected(detected, dynamics, state, monitor, threshold, dt):
    """Continue ``look_ahead`` with the detected contacts: impacts and new contacts."""
    for d in range(state.detected[0]):
        gap, e = detected.gap[d], detected.restitution[d]
        if is_awaited(monitor.step, gap, state.detected_touching[d], e):
            u = meeting_speed(detected, dynamics.twist, d)
            u_free = meeting_speed(detected, dynamics.free_twist, d)
            note_impact(monitor.step, gap, e, u, u_free, threshold, dt)


@inner
def enter_detected(detected, pose, state, sides, problem, declared, d):
    """Add a detected contact to the problem."""
    first, second = detected.link[d, 0], detected.link[d, 1]
    b = enter_block(problem, sides, BlockKind.CONE, 3, declared + d, first, second)
    problem.gap[b] = max(detected.gap[d], -problem.deepest[0])
    problem.mu[b] = detected.friction[d]
    problem.restitution[b] = detected.restitution[d]
    tangent_basis(detected.normal, d, problem.frame, b)
    for k in range(3):
        problem.position[b, k] = detected.position[d, k]
        problem.impulse[3 * b + k] = state.detected_impulse[d, k]
    if is_directed(detected.directions, d):
        values = detected.directions
        link = second if values[d, DirectionColumn.SIDE] != 0.0 else first
        scale_rows(values, d, link, pose, values[d, 0], values[d, 1], problem, b)


@inner
def select_detected(detected, dynamics, state, sides, problem, declared, margin, speeds, dt):
    """Enter the detected contacts that may close within the step, as ``select_contacts`` does."""
    (skip, leave, _) = speeds
    splits, bounces = skip < NEVER, leave < NEVER
    for d in range(state.detected[0]):
        gap = detected.gap[d]
        if gap > margin:
            if margin <= 0.0:
                continue
            u = meeting_speed(detected, dynamics.twist, d)
            u_free = meeting_speed(detected, dynamics.free_twist, d)
            if gap + 1.5 * dt * min(u, u_free) > 0.0:
                continue
        e = detected.restitution[d]
        if splits or (bounces and e > 0.0):
            u = meeting_speed(detected, dynamics.twist, d)
            if stays_out(gap, u, e, speeds):
                continue
        enter_detected(detected, dynamics.pose, state, sides, problem, declared, d)


@inner
def select_detected_touching(detected, pose, state, sides, problem, declared, touch):
    """Enter the detected contacts with ``gap <= touch`` in an impulsive problem."""
    for d in range(state.detected[0]):
        if detected.gap[d] <= touch:
            enter_detected(detected, pose, state, sides, problem, declared, d)
            state.detected_touching[d] = 1.0
            for k in range(problem.size[ProblemSize.ROWS] - 3, problem.size[ProblemSize.ROWS]):
                problem.impulse[k] = 0.0


@inner
def clear_detected(detected, state):
    """Start the sums of a new step."""
    for d in range(state.detected[0]):
        for k in range(3):
            detected.impulse[d, k] = 0.0
    for d in range(len(detected.moment)):
        for k in range(3):
            detected.moment[d, k] = 0.0


@inner
def release_detected(detected, state, metre):
    """Reset the results of the last solution: contacts outside the problem are open."""
    for d in range(state.detected[0]):
        detected.status[d] = 0.0
        near = detected.gap[d] <= (RELEASE * metre if state.detected_touching[d] != 0.0 else 0.0)
        state.detected_touching[d] = 1.0 if near else 0.0
        for k in range(3):
            state.detected_impulse[d, k] = 0.0


@inner
def mean_force(normal, impulse, c, frame, dt):
    """Return the mean world force over dt of contact c's impulse; ``frame`` is scratch."""
    i0, i1, i2 = impulse[c, 0], impulse[c, 1], impulse[c, 2]
    tangent_basis(normal, c, frame, 0)
    f0, f1, f2 = transposed_times(frame, 0, i0, i1, i2)
    return f0 / dt, f1 / dt, f2 / dt


@inner
def detected_forces(detected, state, frame, dt):
    """Write the mean world force and moment of the step on body 2 of each contact."""
    for d in range(state.detected[0]):
        force = mean_force(detected.normal, detected.impulse, d, frame, dt)
        for k in range(3):
            detected.force[d, k] = force[k]
        for k in range(3 if len(detected.moment) > 0 else 0):
            detected.moment[d, k] /= dt

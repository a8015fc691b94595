"""From impulses to the new state: velocities, energies, positions on the manifold."""

from __future__ import annotations

import math

from footfall.kernels.compile import inner
from footfall.kernels.detected import RELEASE, release_detected
from footfall.kernels.factor import solve_lower
from footfall.kernels.free_motion import carries_momentum, fly_free_body
from footfall.kernels.rotation import tangent_basis
from footfall.kernels.tree import quadratic_form

FLYING, LOOSE = 2, 1
"""A tree that nothing touches or holds; one that nothing fixed pushes, not even through others."""


@inner
def add_impulse(topology, dynamics, sides, problem, impulse, v):
    """Add ``M^-1 J' r`` to v: ``L^-1 D^-1/2 (Z r)`` tree by tree."""
    w = dynamics.work
    n = problem.size[0]
    if n == 0:
        return
    for k in range(len(w)):
        w[k] = 0.0
    for b in range(n):
        row, r1, r2 = problem.row[b], 0.0, 0.0
        r0 = impulse[row]
        if problem.row[b + 1] - row == 3:
            r1, r2 = impulse[row + 1], impulse[row + 2]
        for s in range(2):
            link = sides.link[b, s]
            if link < 0:
                continue
            sign = 1.0 if s == 1 else -1.0
            first, at = topology.tree_v[topology.link_tree[link]], sides.start[b, s]
            for p in range(topology.span_start[link], topology.span_start[link + 1]):
                z = sides.Z[at] * r0 + sides.Z[at + 1] * r1 + sides.Z[at + 2] * r2
                w[first + topology.span[p]] += sign * z
                at += 3
    for tree in range(len(topology.free)):
        if sides.tree_start[tree + 1] == sides.tree_start[tree]:
            continue
        first, nv = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
        for k in range(first, first + nv):
            w[k] *= dynamics.scale[k]
        solve_lower(dynamics.L, topology.tree_M[tree], nv, topology.dof_parent, first, w)
        for k in range(first, first + nv):
            v[k] += w[k]


@inner
def hold_what_leans(topology, dynamics, sides, problem):
    """Take note that what is pushed by a tree on which something fixed pushes is not loose either.

    A robot that stands on a plate stands on the ground below: the momentum of both is no sum of
    known impulses, and to correct it would move the feet against the plate.
    """
    changed = True
    while changed:
        changed = False
        for b in range(problem.size[0]):
            first, second = sides.link[b, 0], sides.link[b, 1]
            if first < 0 or problem.candidate[b] < 0 or problem.impulse[3 * b + 2] == 0.0:
                continue
            one, other = topology.link_tree[first], topology.link_tree[second]
            if (dynamics.airborne[one] == 0) != (dynamics.airborne[other] == 0):
                dynamics.airborne[one], dynamics.airborne[other] = 0, 0
                changed = True


@inner
def fly(topology, dynamics, pushes, sides, problem, v, theta, dt):
    """Move floating bases without impulses by the mean of old and new velocity.

    Rigid bodies move and turn by it, bases of robots only move. Not those that a loop holds to the
    world or a hand on a spring holds. What is in flight, or pushed by moving bodies only, is noted.
    """
    n, new, position = problem.size[0], dynamics.v_new, dynamics.v_position
    pushed = False
    for tree in range(len(topology.free)):
        dynamics.airborne[tree] = 0
        if topology.floating[tree] == 0 or topology.closed[tree] == 2:
            continue
        flying, loose = pushes.held[tree] == 0, True
        if n > 0:
            for p in range(sides.tree_start[tree], sides.tree_start[tree + 1]):
                # Impulses of joints, which come after the cones, are internal.
                b = sides.tree_block[p]
                if problem.candidate[b] >= 0 and problem.impulse[3 * b + 2] != 0.0:
                    flying, loose = False, loose and sides.link[b, 0] >= 0
        if loose:
            dynamics.airborne[tree] = FLYING if flying else LOOSE
            pushed = pushed or not flying
        if flying and carries_momentum(topology, tree):
            fly_free_body(topology, dynamics, tree, v, theta, dt)
        elif flying:
            first = topology.tree_v[tree]
            for k in range(first, first + 3):
                position[k] = 0.5 * (v[k] + new[k])
    if pushed:
        hold_what_leans(topology, dynamics, sides, problem)


@inner
def velocity_step(topology, dynamics, pushes, sides, problem, v, theta, dt):
    """Write v_new and the velocity that moves positions, split impulses included.

    ``v_position = theta v_new + (1 - theta) v + M^-1 J' correction``. A floating base in flight (no
    impulse on its tree) is moved by the mean of old and new velocity instead, unless the scheme is
    explicit: exact for ballistic motion, and without influence on stability because nothing
    depends on where a flying base is.
    """
    new, position = dynamics.v_new, dynamics.v_position
    for k in range(len(new)):
        new[k] = dynamics.v_free[k]
    add_impulse(topology, dynamics, sides, problem, problem.impulse, new)
    for k in range(len(new)):
        position[k] = theta * new[k] + (1.0 - theta) * v[k]
    if theta > 0.0:
        fly(topology, dynamics, pushes, sides, problem, v, theta, dt)
    if problem.report[3] != 0.0:
        add_impulse(topology, dynamics, sides, problem, problem.correction, position)


@inner
def impulse_work(problem, ground, target):
    """Return (work of the impulses on the robot, part done by a moving ground), [J].

    Exact for one step: ``r . (u- + u+) / 2``; ``target`` is W r + free velocity, relative.
    """
    relative, by_ground = 0.0, 0.0
    for b in range(problem.size[0]):
        c, first = problem.candidate[b], problem.row[b]
        for k in range(problem.row[b + 1] - first):
            row = first + k
            r = problem.impulse[row]
            relative += 0.5 * r * (problem.velocity[row] + target[row])
            if 0 <= c < len(ground.gap):
                v = ground.velocity
                by_ground += r * (
                    problem.frame[b, k, 0] * v[c, 0]
                    + problem.frame[b, k, 1] * v[c, 1]
                    + problem.frame[b, k, 2] * v[c, 2]
                )
    return relative, by_ground


@inner
def joint_work(topology, joints, dynamics, change, q, v, dt):
    """Return (work of motors and external forces, loss in passive damping, work of h), [J].

    Implicit terms act at the velocity that the forces led to: without a later impact's ``change``.

    Writes the generalized force that acted to ``dynamics.work``:
    ``tau - K (s + dt v+ - target) - Kd (v+ - rate)``.
    """
    motor, loss, bias = 0.0, 0.0, 0.0
    for k in range(len(dynamics.v_new)):
        v_new = dynamics.v_new[k]
        v_end = v_new - change[k]
        mean = 0.5 * dt * (v_new + v[k])
        tau = joints.tau[k]
        if topology.dof_q[k] >= 0:
            s = q[topology.dof_q[k]]
            tau -= joints.stiffness[k] * (s + dt * v_end - joints.target[k])
            tau -= joints.rate_gain[k] * (v_end - joints.target_rate[k])
        dynamics.work[k] = tau
        motor += mean * (tau + joints.external[k])
        loss += mean * joints.damping[k] * v_end
        bias += mean * dynamics.h[k]
    return motor, loss + coupled_loss(topology, joints, dynamics, change, v, dt), bias


@inner
def coupled_loss(topology, joints, dynamics, change, v, dt):
    """Return the loss in the viscous friction between coupled joints, [J]."""
    loss = 0.0
    for tree in range(len(topology.free)):
        first = topology.tree_v[tree]
        for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
            i, j = first + joints.coupling[e, 0], first + joints.coupling[e, 1]
            new = dynamics.v_new
            both = (new[i] + v[i]) * (new[j] - change[j]) + (new[j] + v[j]) * (new[i] - change[i])
            loss += 0.5 * dt * joints.coupling_damping[e] * both
    return loss


@inner
def keep_ledger(topology, joints, dynamics, problem, ground, state, scratch, dt):
    """Book the step's work and losses, and what the next evaluation's energy should be.

    ``1/2 v+'M v+ - 1/2 v'M v = work - dissipated - dt h.(v + v+)/2`` holds to rounding at fixed q.
    What the energies at the new q differ from that, ``KE + PE - expected``, is the integrator's own
    error; it is booked when the new q is evaluated.
    """
    motor, loss, bias = joint_work(topology, joints, dynamics, scratch.change, state.q, state.v, dt)
    relative, by_ground = impulse_work(problem, ground, scratch.target)
    kinetic = 0.0
    for tree in range(len(topology.free)):
        kinetic += 0.5 * quadratic_form(topology, dynamics, tree, dynamics.v_new)
    ledger = state.ledger
    ledger[0] += motor + by_ground
    ledger[1] += loss - relative
    ledger[3] = kinetic + bias + dynamics.energy[1]
    ledger[4] = 1.0


@inner
def settle_ledger(dynamics, state):
    """Book the integrator's error of the last move, now that the new q has been evaluated."""
    ledger = state.ledger
    if ledger[4] != 0.0:
        ledger[2] += dynamics.energy[0] + dynamics.energy[1] - ledger[3]
        ledger[4] = 0.0


@inner
def all_finite(x):
    """Whether every entry is finite."""
    s = 0.0
    for k in range(len(x)):
        s += 0.0 * x[k]
    return s == 0.0


@inner
def add_impulses(candidates, detected, problem):
    """Add the problem's impulses to the sums of the step."""
    declared = len(candidates.link)
    for b in range(problem.size[0]):
        c = problem.candidate[b]
        if c < 0:
            continue
        for k in range(3):
            if c < declared:
                candidates.impulse[c, k] += problem.impulse[3 * b + k]
            else:
                detected.impulse[c - declared, k] += problem.impulse[3 * b + k]


@inner
def status_of(problem, b, target):
    """Return 0 if block b's contact is open, 1 if it sticks, 2 if it slips.

    It slips if its impulse is on the cone (to 1e-6) and it moves (over 1e-9 m/s).
    """
    at = 3 * b
    r_n = problem.impulse[at + 2]
    if not r_n > 0.0:
        return 0.0
    r_t = math.hypot(problem.impulse[at], problem.impulse[at + 1])
    u_t = math.hypot(target[at], target[at + 1])
    return 2.0 if r_t >= (1.0 - 1e-6) * problem.mu[b] * r_n and u_t > 1e-9 else 1.0


@inner
def collect_forces(candidates, detected, problem, state, target):
    """Book impulses by candidate: warm start, sum over the step, status, touching."""
    declared = len(candidates.link)
    add_impulses(candidates, detected, problem)
    release_detected(detected, state)
    for c in range(declared):
        candidates.status[c] = 0.0
        near = candidates.gap[c] <= (RELEASE if state.touching[c] != 0.0 else 0.0)
        state.touching[c] = 1.0 if near else 0.0
        for k in range(3):
            state.impulse[c, k] = 0.0
    for b in range(problem.size[0]):
        c = problem.candidate[b]
        if c < 0:
            continue
        status = status_of(problem, b, target)
        if c < declared:
            for k in range(3):
                state.impulse[c, k] = problem.impulse[3 * b + k]
            candidates.status[c] = status
            state.touching[c] = max(state.touching[c], min(status, 1.0))
            continue
        d = c - declared
        for k in range(3):
            state.detected_impulse[d, k] = problem.impulse[3 * b + k]
        detected.status[d] = status
        state.detected_touching[d] = max(state.detected_touching[d], min(status, 1.0))


@inner
def mean_forces(candidates, ground, frame, dt):
    """Write the mean world force of the step of each candidate from its summed impulse."""
    for c in range(len(candidates.link)):
        i0, i1, i2 = candidates.impulse[c, 0], candidates.impulse[c, 1], candidates.impulse[c, 2]
        if i0 == 0.0 and i1 == 0.0 and i2 == 0.0:
            for k in range(3):
                candidates.force[c, k] = 0.0
            continue
        tangent_basis(ground.normal, c, frame, 0)
        for k in range(3):
            candidates.force[c, k] = (
                frame[0, 0, k] * i0 + frame[0, 1, k] * i1 + frame[0, 2, k] * i2
            ) / dt

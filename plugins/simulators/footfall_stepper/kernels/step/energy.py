"""Energy: the work and the losses of a step, and the integrator's error."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.spatial.rotation import times
from footfall.world.arrays import Energy
from footfall_stepper.kernels.contact.assemble_problem import block_motion
from footfall_stepper.kernels.dynamics.equations_of_motion import quadratic_form
from footfall_stepper.world.step_arrays import PRESCRIBED, Ledger


@inner
def prescribed_work(topology, sides, problem, twist, b):
    """Return the work done by bodies with a prescribed motion at block b, [J]."""
    work = 0.0
    for s in range(2):
        link = sides.link[b, s]
        if link >= 0 and topology.free[topology.link_tree[link]] == PRESCRIBED:
            u = times(problem.frame, b, *block_motion(problem, b, twist, link))
            for k in range(3):
                work += (1.0 - 2.0 * s) * problem.impulse[problem.row[b] + k] * u[k]
    return work


@inner
def impulse_work(topology, dynamics, sides, problem, ground, target):
    """Return (work of the impulses on the robot, part done by what moves by itself), [J].

    Exact for one step: ``r . (u- + u+) / 2``; ``target`` is W r + free velocity, relative.
    """
    relative, by_ground = 0.0, 0.0
    moved = topology.free[len(topology.free) - 1] == PRESCRIBED
    for b in range(problem.size[ProblemSize.BLOCKS]):
        c, first = problem.candidate[b], problem.row[b]
        for k in range(problem.row[b + 1] - first):
            row = first + k
            r = problem.impulse[row]
            relative += 0.5 * r * (problem.velocity[row] + target[row])
            if 0 <= c < len(ground.velocity):
                v = ground.velocity
                by_ground += r * (
                    problem.frame[b, k, 0] * v[c, 0]
                    + problem.frame[b, k, 1] * v[c, 1]
                    + problem.frame[b, k, 2] * v[c, 2]
                )
        if moved and problem.kind[b] >= BlockKind.CONE:
            by_ground += prescribed_work(topology, sides, problem, dynamics.twist, b)
    return relative, by_ground


@inner
def joint_work(topology, joints, dynamics, change, q, v, dt):
    """Return (work of motors and external forces, loss in passive damping, work of h), [J].

    Implicit terms act at the velocity after the forces, without the ``change`` by a later impact.

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
def keep_ledger(topology, joints, dynamics, sides, problem, ground, state, scratch, dt):
    """Book the step's work and losses, and the expected energy of the next evaluation.

    ``1/2 v+'M v+ - 1/2 v'M v = work - dissipated - dt h.(v + v+)/2`` holds to rounding at fixed q.
    The difference of the energies at the new q, ``KE + PE - expected``, is the integrator's own
    error; it is booked when the new q is evaluated.
    """
    motor, loss, bias = joint_work(topology, joints, dynamics, scratch.change, state.q, state.v, dt)
    relative, by_ground = impulse_work(topology, dynamics, sides, problem, ground, scratch.target)
    kinetic = 0.0
    for tree in range(len(topology.free)):
        kinetic += 0.5 * quadratic_form(topology, dynamics, tree, dynamics.v_new)
    ledger = state.ledger
    ledger[Ledger.WORK] += motor + by_ground
    ledger[Ledger.TAKEN] += loss - relative
    ledger[Ledger.EXPECTED] = kinetic + bias + dynamics.energy[Energy.POTENTIAL]
    ledger[Ledger.EXPECTS] = 1.0


@inner
def settle_ledger(dynamics, state):
    """Book the integrator's error of the last move after the new q has been evaluated."""
    ledger = state.ledger
    if ledger[Ledger.EXPECTS] != 0.0:
        mechanical = dynamics.energy[Energy.KINETIC] + dynamics.energy[Energy.POTENTIAL]
        ledger[Ledger.INTEGRATION] += mechanical - ledger[Ledger.EXPECTED]
        ledger[Ledger.EXPECTS] = 0.0

"""One packed row of the recording: state, forces, energies and residuals of a step."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.problem.arrays import RESIDUALS, Residual
from footfall.recording.variables import Column
from footfall.spatial.rotation import placed, quaternion_of, rotate_back, turned
from footfall.world.arrays import Energy
from footfall_stepper.kernels.contact.collect_forces import (
    add_detected_wrenches,
    place_feet,
    record_wrenches,
)
from footfall_stepper.kernels.dynamics.rigid_bodies import carries_momentum
from footfall_stepper.world.step_arrays import Ledger, RunSum, StepFigure

REPORTED = (
    (Column.SOLVER_ITERATIONS, StepFigure.ITERATIONS),
    (Column.SOLVER_RESIDUAL, StepFigure.RESIDUAL),
    (Column.SOLVER_FAILURES, StepFigure.FAILURES),
    (Column.PENETRATION, StepFigure.PENETRATION),
    (Column.IMPACTS, StepFigure.IMPACTS),
    (Column.IMPACT_SPLITS, StepFigure.SPLITS),
    (Column.UNRESOLVED_SPLITS, StepFigure.UNRESOLVED),
    (Column.RESTITUTION_CUTS, StepFigure.CUTS),
)
"""Columns of the step's report, and their places in ``Monitor.step``."""
MEASURED = (
    (Column.RESIDUAL_NATURAL_MAP, Residual.NATURAL_MAP),
    (Column.RESIDUAL_SIGNORINI, Residual.SIGNORINI),
    (Column.RESIDUAL_DISSIPATION, Residual.DISSIPATION),
    (Column.RESIDUAL_COMPLEMENTARITY, Residual.COMPLEMENTARITY),
    (Column.RESIDUAL_CONE, Residual.OUTSIDE_CONE),
)
"""Columns of the residuals, and their places in ``Monitor.residual``."""
COUNTED = (
    (RunSum.ITERATIONS, StepFigure.ITERATIONS),
    (RunSum.FAILURES, StepFigure.FAILURES),
    (RunSum.IMPACTS, StepFigure.IMPACTS),
    (RunSum.SPLITS, StepFigure.SPLITS),
    (RunSum.UNRESOLVED, StepFigure.UNRESOLVED),
    (RunSum.CUTS, StepFigure.CUTS),
)
"""Places of counts in ``Monitor.run``, and in ``Monitor.step``."""


@inner
def record_state(topology, dynamics, candidates, state, row, at, time):
    """Write the values at the start of the step: state, energies, gaps, base and mass centre."""
    row[at[Column.TIME]] = time
    for k in range(len(state.q)):
        row[at[Column.Q] + k] = state.q[k]
    for k in range(len(state.v)):
        row[at[Column.V] + k] = state.v[k]
    for c in range(len(candidates.link)):
        row[at[Column.GAP] + c] = candidates.gap[c]
        for k in range(3):
            row[at[Column.CONTACT_POSITION] + 3 * c + k] = candidates.position[c, k]
    row[at[Column.KINETIC_ENERGY]] = dynamics.energy[Energy.KINETIC]
    row[at[Column.POTENTIAL_ENERGY]] = dynamics.energy[Energy.POTENTIAL]
    row[at[Column.WORK]] = state.ledger[Ledger.WORK]
    row[at[Column.DISSIPATED_ENERGY]] = state.ledger[Ledger.TAKEN]
    row[at[Column.INTEGRATION_ENERGY_ERROR]] = state.ledger[Ledger.INTEGRATION]
    mass = max(dynamics.energy[Energy.TOTAL_MASS], 1e-300)
    for k in range(3):
        row[at[Column.COM] + k] = dynamics.energy[Energy.MASS_MOMENT + k] / mass
    for tree in range(len(topology.free)):
        record_base(topology, dynamics, state, row, at, tree)
    place_feet(candidates, dynamics)


@inner
def record_base(topology, dynamics, state, row, at, tree):
    """Write the world pose of a robot's root link and its velocity in the mixed representation."""
    link, pose = topology.root_link[tree], dynamics.pose
    p, quat = at[Column.BASE_POSITION] + 3 * tree, at[Column.BASE_QUATERNION] + 4 * tree
    nu = at[Column.BASE_VELOCITY] + 6 * tree
    if topology.floating[tree] == 0:
        record_held_base(topology, dynamics, state, row, p, quat, nu, tree)
        return
    for k in range(3):
        row[p + k] = pose[link, 9 + k]
    qa, va = topology.tree_q[tree], topology.tree_v[tree]
    for k in range(4):
        row[quat + k] = state.q[qa + 3 + k]
    for half in range(0, 6, 3):
        i, to = va + half, nu + half
        x, y, z = turned(pose, link, state.v[i], state.v[i + 1], state.v[i + 2])
        row[to], row[to + 1], row[to + 2] = x, y, z


@inner
def record_held_base(topology, dynamics, state, row, p, quat, nu, tree):
    """Write the same for a root that is fixed in place or moves in a plane.

    Its frame is placed in the link that carries it; ``v = V_lin + w x p`` of that link's twist.
    """
    link, pose, root = topology.root_link[tree], dynamics.pose, topology.root_frame[tree]
    x, y, z = placed(pose, link, root[9], root[10], root[11])
    row[p], row[p + 1], row[p + 2] = x, y, z
    a, b, c = turned(pose, link, root[0], root[1], root[2])
    d, e, f = turned(pose, link, root[3], root[4], root[5])
    x, y, z = turned(pose, link, root[6], root[7], root[8])
    x, y, z, w = quaternion_of(a, b, c, d, e, f, x, y, z)
    row[quat], row[quat + 1], row[quat + 2], row[quat + 3] = x, y, z, w
    for k in range(6):
        row[nu + k] = 0.0
    first = topology.tree_v[tree]
    for i in range(topology.chain_start[link], topology.chain_start[link + 1]):
        dof = first + topology.chain[i]
        for k in range(6):
            row[nu + k] += dynamics.S[dof, k] * state.v[dof]
    w0, w1, w2 = row[nu + 3], row[nu + 4], row[nu + 5]
    row[nu] += w1 * row[p + 2] - w2 * row[p + 1]
    row[nu + 1] += w2 * row[p] - w0 * row[p + 2]
    row[nu + 2] += w0 * row[p + 1] - w1 * row[p]


@inner
def record_step(dynamics, candidates, ground, detected, state, monitor, row, at, dt):
    """Write the forces over the step; the velocities of the row are those at its start.

    The position of a point that presses becomes that at which its force acts, see ``Candidates``.

    The ledger's second entry is the energy taken by contacts and joints. The energy in the
    contacts' springs at the start of the step is not lost.
    """
    elastic = dynamics.energy[Energy.ELASTIC]
    row[at[Column.ELASTIC_ENERGY]] = elastic
    row[at[Column.DISSIPATED_ENERGY]] -= elastic - state.ledger[Ledger.ELASTIC_AT_START]
    for k in range(len(state.v)):
        row[at[Column.A] + k] = (dynamics.v_new[k] - row[at[Column.V] + k]) / dt
        row[at[Column.TAU] + k] = dynamics.work[k]
    penetration = 0.0
    for c in range(len(candidates.link)):
        # A point thrown off a curved ground by an impact within the step touched it, too.
        touched = state.touching[c] != 0.0 or candidates.impulse[c, 2] > 0.0
        row[at[Column.IN_CONTACT] + c] = 1.0 if touched else 0.0
        row[at[Column.CONTACT_STATUS] + c] = candidates.status[c]
        gap = row[at[Column.GAP] + c]
        penetration = max(penetration, -gap)
        down = candidates.lowered[0] * gap if candidates.impulse[c, 2] > 0.0 else 0.0
        for k in range(3):
            row[at[Column.CONTACT_POSITION] + 3 * c + k] -= down * ground.normal[c, k]
            row[at[Column.CONTACT_FORCE] + 3 * c + k] = candidates.force[c, k]
            row[at[Column.IMPULSE] + 3 * c + k] = candidates.impulse[c, k]
    for d in range(state.detected[0]):
        penetration = max(penetration, -detected.gap[d])
    record_wrenches(candidates, row, at[Column.CONTACT_POSITION], at[Column.FOOT_WRENCH])
    if state.detected[0] > 0:
        add_detected_wrenches(candidates, detected, state.detected[0], row, at[Column.FOOT_WRENCH])
    monitor.step[StepFigure.PENETRATION] = penetration
    record_monitor(monitor, row, at)


@inner
def record_monitor(monitor, row, at):
    """Write the report of a step."""
    for column, place in MEASURED:
        row[at[column]] = monitor.residual[place]
    for column, place in REPORTED:
        row[at[column]] = monitor.step[place]


@inner
def record_free_accelerations(topology, state, by_middle, row, at):
    """Record the accelerations of rigid bodies from ``note_step``, in the axes of the old base.

    Their velocity at the end is not the one that the law solved for, see
    ``kernels.dynamics.rigid_bodies``. ``by_middle``: nor is that of any base, which has turned.
    """
    a = at[Column.A]
    for tree in range(len(topology.free)):
        if carries_momentum(topology, tree) or (by_middle and topology.floating[tree] == 1):
            i = at[Column.Q] + topology.tree_q[tree] + 3
            for k in (topology.tree_v[tree], topology.tree_v[tree] + 3):
                a0, a1, a2 = state.nudot[k], state.nudot[k + 1], state.nudot[k + 2]
                a0, a1, a2 = rotate_back(row[i], row[i + 1], row[i + 2], row[i + 3], a0, a1, a2)
                row[a + k], row[a + k + 1], row[a + k + 2] = a0, a1, a2


@inner
def note_step(topology, state, row, at, dt):
    """Store signals of the step for controllers: mixed acceleration, foot wrenches.

    The row holds the step's start, the state its end.
    """
    out, v = state.nudot, state.v
    for k in range(len(v)):
        out[k] = (v[k] - row[at[Column.V] + k]) / dt
    for tree in range(len(topology.free)):
        if topology.floating[tree] == 1:
            i, first = topology.tree_q[tree] + 3, topology.tree_v[tree]
            before = at[Column.BASE_VELOCITY] + 6 * tree
            x, y, z, w = state.q[i], state.q[i + 1], state.q[i + 2], state.q[i + 3]
            for half in range(0, 6, 3):
                j, b = first + half, before + half
                a0, a1, a2 = rotate_back(-x, -y, -z, w, v[j], v[j + 1], v[j + 2])
                out[j], out[j + 1] = (a0 - row[b]) / dt, (a1 - row[b + 1]) / dt
                out[j + 2] = (a2 - row[b + 2]) / dt
    for f in range(len(state.foot_wrench)):
        for k in range(6):
            state.foot_wrench[f, k] = row[at[Column.FOOT_WRENCH] + 6 * f + k]


@inner
def count_step(run, step):
    """Add the counts of a step to those of the run."""
    run[RunSum.PENETRATION] = max(run[RunSum.PENETRATION], step[StepFigure.PENETRATION])
    run[RunSum.STEPS] += 1.0
    for total, place in COUNTED:
        run[total] += step[place]


@inner
def sum_up(monitor):
    """Add the step to the report of the run."""
    run = monitor.run
    for k in range(RESIDUALS):
        run[k] = max(run[k], monitor.residual[k])
    count_step(run, monitor.step)
    decade = math.log10(max(monitor.residual[Residual.NATURAL_MAP], 1e-20))
    bin_ = int(10.0 * (decade + 20.0)) if decade < 3.9 else 239
    monitor.histogram[bin_] += 1.0


@kernel
def write_scaled(values, scale, first, row):
    """Write values, each scaled, to a row starting at a column."""
    for k in range(len(values)):
        row[first + k] = values[k] * scale[k]

"""One packed row of the recording: state, forces, energies and residuals of a step."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.problem.arrays import NATURAL_MAP, RESIDUALS
from footfall.spatial.rotation import placed, quaternion_of, rotate_back, turned
from footfall.world import arrays as world_arrays
from footfall_stepper.kernels.contact.collect_forces import (
    add_detected_wrenches,
    place_feet,
    record_wrenches,
)
from footfall_stepper.kernels.dynamics.rigid_bodies import carries_momentum
from footfall_stepper.world import step_arrays as arrays
from footfall_stepper.world.step_arrays import STEP

# Order of the columns whose first index is given to the kernels; widths depend on the world.
COLUMNS = (
    "time",
    "q",
    "v",
    "a",
    "tau",
    "contact_force",
    "contact_position",
    "gap",
    "in_contact",
    "contact_status",
    "impulse",
    "kinetic_energy",
    "potential_energy",
    "dissipated_energy",
    "work",
    "integration_energy_error",
    "solver_iterations",
    "solver_residual",
    "solver_failures",
    "residual_natural_map",
    "residual_signorini",
    "residual_dissipation",
    "residual_complementarity",
    "residual_cone",
    "penetration",
    "impacts",
    "impact_splits",
    "unresolved_splits",
    "restitution_cuts",
    "base_position",
    "base_quaternion",
    "base_velocity",
    "com",
    "foot_wrench",
    "elastic_energy",
)
(TIME, Q, V, A, TAU, FORCE, POSITION, GAP, IN_CONTACT, STATUS, IMPULSE, KINETIC) = range(12)
(POTENTIAL, DISSIPATED, WORK, INTEGRATION, ITERATIONS, RESIDUAL, FAILURES, NATURAL) = range(12, 20)
(SIGNORINI, DISSIPATION, COMPLEMENTARITY, CONE, PENETRATION, IMPACTS, SPLITS) = range(20, 27)
(UNRESOLVED, CUTS, BASE_POSITION, BASE_QUATERNION, BASE_VELOCITY) = range(27, 32)
(COM, WRENCH, ELASTIC) = range(32, 35)
REPORTED = (
    *((ITERATIONS, STEP.iterations), (RESIDUAL, STEP.residual), (FAILURES, STEP.failures)),
    *((PENETRATION, STEP.penetration), (IMPACTS, STEP.impacts), (SPLITS, STEP.splits)),
    *((UNRESOLVED, STEP.unresolved), (CUTS, STEP.cuts)),
)
"""Columns of the step's report, and their indices in ``Monitor.step``."""
COUNTED = (
    *((arrays.RUN_ITERATIONS, STEP.iterations), (arrays.RUN_FAILURES, STEP.failures)),
    *((arrays.RUN_IMPACTS, STEP.impacts), (arrays.RUN_SPLITS, STEP.splits)),
    *((arrays.RUN_UNRESOLVED, STEP.unresolved), (arrays.RUN_CUTS, STEP.cuts)),
)
"""Indices of counts in ``Monitor.run``, and in ``Monitor.step``."""


@inner
def record_state(topology, dynamics, candidates, state, row, at, time):
    """Write the values at the start of the step: state, energies, gaps, base and mass centre."""
    row[at[TIME]] = time
    for k in range(len(state.q)):
        row[at[Q] + k] = state.q[k]
    for k in range(len(state.v)):
        row[at[V] + k] = state.v[k]
    for c in range(len(candidates.link)):
        row[at[GAP] + c] = candidates.gap[c]
        for k in range(3):
            row[at[POSITION] + 3 * c + k] = candidates.position[c, k]
    row[at[KINETIC]] = dynamics.energy[world_arrays.ENERGY_KINETIC]
    row[at[POTENTIAL]] = dynamics.energy[world_arrays.ENERGY_POTENTIAL]
    row[at[WORK]] = state.ledger[arrays.LEDGER_WORK]
    row[at[DISSIPATED]] = state.ledger[arrays.LEDGER_TAKEN]
    row[at[INTEGRATION]] = state.ledger[arrays.LEDGER_INTEGRATION]
    mass = max(dynamics.energy[world_arrays.TOTAL_MASS], 1e-300)
    for k in range(3):
        row[at[COM] + k] = dynamics.energy[world_arrays.MASS_MOMENT + k] / mass
    for tree in range(len(topology.free)):
        record_base(topology, dynamics, state, row, at, tree)
    place_feet(candidates, dynamics)


@inner
def record_base(topology, dynamics, state, row, at, tree):
    """Write the world pose of a robot's root link and its velocity in the mixed representation."""
    link, pose = topology.root_link[tree], dynamics.pose
    p, quat, nu = at[BASE_POSITION] + 3 * tree, at[BASE_QUATERNION] + 4 * tree, at[BASE_VELOCITY]
    nu += 6 * tree
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
def record_step(dynamics, candidates, detected, state, monitor, row, at, dt):
    """Write the forces over the step; the velocities of the row are those at its start.

    The ledger's second entry is the energy taken by contacts and joints. The energy in the
    contacts' springs at the start of the step is not lost.
    """
    elastic = dynamics.energy[world_arrays.ENERGY_ELASTIC]
    row[at[ELASTIC]] = elastic
    row[at[DISSIPATED]] -= elastic - state.ledger[arrays.LEDGER_ELASTIC_AT_START]
    for k in range(len(state.v)):
        row[at[A] + k] = (dynamics.v_new[k] - row[at[V] + k]) / dt
        row[at[TAU] + k] = dynamics.work[k]
    penetration = 0.0
    for c in range(len(candidates.link)):
        # A point thrown off a curved ground by an impact within the step touched it, too.
        touched = state.touching[c] != 0.0 or candidates.impulse[c, 2] > 0.0
        row[at[IN_CONTACT] + c] = 1.0 if touched else 0.0
        row[at[STATUS] + c] = candidates.status[c]
        penetration = max(penetration, -row[at[GAP] + c])
        for k in range(3):
            row[at[FORCE] + 3 * c + k] = candidates.force[c, k]
            row[at[IMPULSE] + 3 * c + k] = candidates.impulse[c, k]
    for d in range(state.detected[0]):
        penetration = max(penetration, -detected.gap[d])
    record_wrenches(candidates, row, at[POSITION], at[WRENCH])
    if state.detected[0] > 0:
        add_detected_wrenches(candidates, detected, state.detected[0], row, at[WRENCH])
    monitor.step[STEP.penetration] = penetration
    record_monitor(monitor, row, at)


@inner
def record_monitor(monitor, row, at):
    """Write the report of a step."""
    for k in range(RESIDUALS):
        row[at[NATURAL] + k] = monitor.residual[k]
    for column, place in REPORTED:
        row[at[column]] = monitor.step[place]


@inner
def record_free_accelerations(topology, state, by_middle, row, at):
    """Record the accelerations of rigid bodies from ``note_step``, in the axes of the old base.

    Their velocity at the end is not the one that the law solved for, see
    ``kernels.dynamics.rigid_bodies``. ``by_middle``: nor is that of any base, which has turned.
    """
    for tree in range(len(topology.free)):
        if carries_momentum(topology, tree) or (by_middle and topology.floating[tree] == 1):
            i = at[Q] + topology.tree_q[tree] + 3
            for k in (topology.tree_v[tree], topology.tree_v[tree] + 3):
                a0, a1, a2 = state.nudot[k], state.nudot[k + 1], state.nudot[k + 2]
                a0, a1, a2 = rotate_back(row[i], row[i + 1], row[i + 2], row[i + 3], a0, a1, a2)
                row[at[A] + k], row[at[A] + k + 1], row[at[A] + k + 2] = a0, a1, a2


@inner
def note_step(topology, state, row, at, dt):
    """Store signals of the step for controllers: mixed acceleration, foot wrenches.

    The row holds the step's start, the state its end.
    """
    out, v = state.nudot, state.v
    for k in range(len(v)):
        out[k] = (v[k] - row[at[V] + k]) / dt
    for tree in range(len(topology.free)):
        if topology.floating[tree] == 1:
            i, first = topology.tree_q[tree] + 3, topology.tree_v[tree]
            before = at[BASE_VELOCITY] + 6 * tree
            x, y, z, w = state.q[i], state.q[i + 1], state.q[i + 2], state.q[i + 3]
            for half in range(0, 6, 3):
                j, b = first + half, before + half
                a0, a1, a2 = rotate_back(-x, -y, -z, w, v[j], v[j + 1], v[j + 2])
                out[j], out[j + 1] = (a0 - row[b]) / dt, (a1 - row[b + 1]) / dt
                out[j + 2] = (a2 - row[b + 2]) / dt
    for f in range(len(state.foot_wrench)):
        for k in range(6):
            state.foot_wrench[f, k] = row[at[WRENCH] + 6 * f + k]


@inner
def count_step(run, step):
    """Add the counts of a step to those of the run."""
    run[arrays.RUN_PENETRATION] = max(run[arrays.RUN_PENETRATION], step[STEP.penetration])
    run[arrays.RUN_STEPS] += 1.0
    for total, place in COUNTED:
        run[total] += step[place]


@inner
def sum_up(monitor):
    """Add the step to the report of the run."""
    run = monitor.run
    for k in range(RESIDUALS):
        run[k] = max(run[k], monitor.residual[k])
    count_step(run, monitor.step)
    decade = math.log10(max(monitor.residual[NATURAL_MAP], 1e-20))
    bin_ = int(10.0 * (decade + 20.0)) if decade < 3.9 else 239
    monitor.histogram[bin_] += 1.0


@kernel
def write_scaled(values, scale, first, row):
    """Write values, each scaled, to a row starting at a column."""
    for k in range(len(values)):
        row[first + k] = values[k] * scale[k]

"""Continuous time: from a trial state to its time derivative, in kernels between plugin calls.

x holds positions (with quaternions that need not be of unit length), body-frame velocities, state
variables of laws, and quadratures. Each kernel takes the world's table and that of ``RateArrays``.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.problem.arrays import ProblemSize
from footfall.problem.blocks import begin_problem
from footfall.spatial.rotation import cross, rotate_back, transposed_times
from footfall.world.arrays import Energy
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.assemble_problem import (
    contact_velocity,
    enter_contact,
    find_jacobians,
)
from footfall_stepper.kernels.contact.declared import locate, touch_points
from footfall_stepper.kernels.contact.delassus import delassus
from footfall_stepper.kernels.dynamics.bias_acceleration import link_twists
from footfall_stepper.kernels.dynamics.equations_of_motion import (
    add_armature,
    add_potential,
    gather,
    mixed_bias,
    quadratic_form,
    start_energy,
)
from footfall_stepper.kernels.dynamics.external_forces import apply_pushes
from footfall_stepper.kernels.dynamics.factor import factor, solve, solve_factored
from footfall_stepper.kernels.dynamics.rigid_bodies import evaluate_free_body
from footfall_stepper.kernels.loops.eliminate import push_along


@inner
def normalise_quaternions(topology, q):
    """Normalise the quaternions of floating bases."""
    for tree in range(len(topology.free)):
        if topology.floating[tree] == 1:
            i = topology.tree_q[tree] + 3
            x, y, z, w = q[i], q[i + 1], q[i + 2], q[i + 3]
            s = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
            q[i], q[i + 1], q[i + 2], q[i + 3] = s * x, s * y, s * z, s * w


@inner
def free_acceleration(topology, joints, dynamics, rates, tree, q, v, dt):
    """Factor M, and write the mixed acceleration without contacts to ``rates.v``.

    ``M a = tau - K (s - target) - Kd (v - rate) - D v + f - h``: gains act as springs and dampers.
    ``v_free = v + dt a`` is for laws that are stated with it.
    """
    first, n = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
    at, a = topology.tree_M[tree], rates.v
    for i in range(n):
        row = at + i * n
        for j in range(i + 1):
            dynamics.L[row + j] = dynamics.M[row + j]
        k = first + i
        load = joints.tau[k]
        if topology.dof_q[k] >= 0:
            load -= joints.stiffness[k] * (q[topology.dof_q[k]] - joints.target[k])
            load -= joints.rate_gain[k] * (v[k] - joints.target_rate[k])
        rates.load[k] = load
        a[k] = load + joints.external[k] - dynamics.h[k] - joints.damping[k] * v[k]
    for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
        i, j = first + joints.coupling[e, 0], first + joints.coupling[e, 1]
        a[i] -= joints.coupling_damping[e] * v[j]
        a[j] -= joints.coupling_damping[e] * v[i]
    pivot = factor(topology, tree, dynamics.L, a)
    solve_factored(topology, tree, dynamics.L, a)
    for i in range(n):
        dynamics.v_free[first + i] = v[first + i] + dt * a[first + i]
        dynamics.scale[first + i] = 1.0 / math.sqrt(dynamics.L[at + i * n + i])
    return pivot


@inner
def settle_rates(topology, joints, dynamics, rates, tree, q, v, dt, energies):
    """Process an evaluation of one tree: M, h, S and pose."""
    add_armature(topology, joints, dynamics, tree)
    mixed_bias(topology, dynamics, tree, v)
    pivot = free_acceleration(topology, joints, dynamics, rates, tree, q, v, dt)
    if energies:
        dynamics.energy[Energy.KINETIC] += 0.5 * quadratic_form(topology, dynamics, tree, v)
        add_potential(topology, dynamics, tree, dynamics.energy)
        dynamics.energy[Energy.LEAST_PIVOT] = min(dynamics.energy[Energy.LEAST_PIVOT], pivot)
        if not math.isfinite(pivot):
            dynamics.energy[Energy.LEAST_PIVOT] = -1.0


@kernel
def put(table, rate_table, x, dt, energies):
    """Set the state to x, with unit quaternions, and evaluate all bodies without joints."""
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics = tables.open_dynamics(table)
    state, rates = tables.state(table), tables.rates(rate_table)
    for i in range(len(rates.place)):
        rates.vector[rates.place[i]] = x[i]
    normalise_quaternions(topology, state.q)
    if energies:
        start_energy(dynamics.energy)
    trees = len(topology.free)
    for tree in range(trees):
        if topology.free[tree] == 1:
            evaluate_free_body(topology, dynamics, tree, state.q, state.v)
            apply_pushes(topology, joints, dynamics, tables.pushes(table), tree)
            settle_rates(topology, joints, dynamics, rates, tree, state.q, state.v, dt, energies)
    if topology.free[trees - 1] == 1 and topology.free[0] == 1:
        locate(tables.open_candidates(table), dynamics)


@kernel
def put_tree(table, rate_table, evaluation, tree, dt, energies):
    """Take over an engine's evaluation of a tree; after the last, find ground query points."""
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics = tables.open_dynamics(table)
    state, rates = tables.state(table), tables.rates(rate_table)
    engine = tables.evaluation(evaluation)
    gather(topology, dynamics, tree, engine.M, engine.h, engine.S, engine.pose)
    apply_pushes(topology, joints, dynamics, tables.pushes(table), tree)
    settle_rates(topology, joints, dynamics, rates, tree, state.q, state.v, dt, energies)
    trees = len(topology.free)
    if tree == trees - 1 or topology.free[tree + 1] == 1:
        locate(tables.open_candidates(table), dynamics)


@inner
def select_present(candidates, ground, pose, state, sides, problem, switching, margin, dt):
    """Enter the candidates with ``gap <= margin`` as cone blocks; switch off the others' events."""
    begin_problem(problem, 0, dt)
    for c in range(len(candidates.link)):
        switching[c, 1] = -1.0
        switching[c, 0] = margin - candidates.gap[c]
        if candidates.gap[c] <= margin:
            enter_contact(candidates, ground, pose, state, sides, problem, c)


@kernel
def meet(table, rate_table, margin, dt, pairs):
    """Build the contact problem from the terrain's sample; with Delassus matrix if ``pairs``."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    candidates = tables.open_candidates(table)
    ground, sides = tables.open_ground(table), tables.open_sides(table)
    problem = tables.open_problem(table)
    state, rates = tables.state(table), tables.rates(rate_table)
    touch_points(candidates, dynamics, ground)
    pose, switching = dynamics.pose, rates.switching
    select_present(candidates, ground, pose, state, sides, problem, switching, margin, dt)
    if problem.size[ProblemSize.BLOCKS] == 0:
        return
    link_twists(topology, candidates.links, dynamics.S, state.v, dynamics.twist)
    link_twists(topology, candidates.links, dynamics.S, dynamics.v_free, dynamics.free_twist)
    if pairs:
        loops, rows = tables.loops(table), tables.joint_rows(table)
        find_jacobians(topology, dynamics, loops, rows, ground, sides, problem, state.v)
        delassus(topology, loops, sides, problem)
        return
    for b in range(problem.size[ProblemSize.BLOCKS]):
        contact_velocity(problem, dynamics.twist, ground, sides, b, problem.velocity)
        contact_velocity(problem, dynamics.free_twist, ground, sides, b, problem.free_velocity)


@inner
def world_force(problem, force, b):
    """Return block b's force along the world's axes, [N]."""
    return transposed_times(problem.frame, b, force[3 * b], force[3 * b + 1], force[3 * b + 2])


@inner
def push(topology, dynamics, sides, problem, force):
    """Write ``M^-1 J' f`` to ``dynamics.work``."""
    w, S = dynamics.work, dynamics.S
    for k in range(len(w)):
        w[k] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        link = sides.link[b, 1]
        first = topology.tree_v[topology.link_tree[link]]
        f0, f1, f2 = world_force(problem, force, b)
        x, y, z = problem.position[b, 0], problem.position[b, 1], problem.position[b, 2]
        m0, m1, m2 = y * f2 - z * f1, z * f0 - x * f2, x * f1 - y * f0
        for p in range(topology.chain_start[link], topology.chain_start[link + 1]):
            k = first + topology.chain[p]
            w[k] += S[k, 0] * f0 + S[k, 1] * f1 + S[k, 2] * f2
            w[k] += S[k, 3] * m0 + S[k, 4] * m1 + S[k, 5] * m2
    if problem.size[ProblemSize.BLOCKS] > 0:
        for tree in range(len(topology.free)):
            solve(topology, tree, dynamics.L, w)


@inner
def position_rates(topology, q, v, rate):
    """Write the rate of q: ``R v``, ``1/2 q (w, 0)`` with the unit quaternion, joint speeds."""
    for tree in range(len(topology.free)):
        first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
        if topology.floating[tree] == 1:
            i = topology.tree_q[tree]
            x, y, z, w = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
            rate[i], rate[i + 1], rate[i + 2] = rotate_back(
                -x, -y, -z, w, v[first], v[first + 1], v[first + 2]
            )
            a, b, c = 0.5 * v[first + 3], 0.5 * v[first + 4], 0.5 * v[first + 5]
            rate[i + 3] = w * a + y * c - z * b
            rate[i + 4] = w * b + z * a - x * c
            rate[i + 5] = w * c + x * b - y * a
            rate[i + 6] = -x * a - y * b - z * c
            first += 6
        for k in range(first, end):
            rate[topology.dof_q[k]] = v[k]


@inner
def powers(topology, joints, problem, ground, rates, v):
    """Write the rates of the quadratures (see ``RateArrays``)."""
    work, loss, relative = 0.0, 0.0, 0.0
    for k in range(len(v)):
        work += v[k] * (rates.load[k] + joints.external[k])
        loss += joints.damping[k] * v[k] * v[k]
    for tree in range(len(topology.free)):
        first = topology.tree_v[tree]
        for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
            i, j = first + joints.coupling[e, 0], first + joints.coupling[e, 1]
            loss += 2.0 * joints.coupling_damping[e] * v[i] * v[j]
    for b in range(problem.size[ProblemSize.BLOCKS]):
        c = problem.candidate[b]
        for k in range(3):
            relative += rates.force[3 * b + k] * problem.velocity[3 * b + k]
        f0, f1, f2 = world_force(problem, rates.force, b)
        work += f0 * ground.velocity[c, 0] + f1 * ground.velocity[c, 1] + f2 * ground.velocity[c, 2]
    rates.power[0], rates.power[1], rates.power[2] = work, loss, relative


@kernel
def leave(table, rate_table, out):
    """Write the derivative of x from the law's force.

    The velocities of x are in the base's own frame: ``dv/dt = a - w x v`` with a the mixed
    acceleration of its origin in base axes.
    """
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics = tables.open_dynamics(table)
    ground, sides = tables.open_ground(table), tables.open_sides(table)
    problem = tables.open_problem(table)
    state, rates = tables.state(table), tables.rates(rate_table)
    v, a = state.v, rates.v
    push(topology, dynamics, sides, problem, rates.force)
    loops = tables.loops(table)
    push_along(loops, topology, dynamics, dynamics.work)
    for k in range(len(loops.push)):  # z = aim - free - Q D^1/2 L x
        loops.push[k] += loops.aim[k] - loops.free[k]
    for k in range(len(a)):
        a[k] += dynamics.work[k]
    for tree in range(len(topology.free)):
        if topology.floating[tree] == 1:
            i = topology.tree_v[tree]
            x, y, z = cross(v[i + 3], v[i + 4], v[i + 5], v[i], v[i + 1], v[i + 2])
            a[i], a[i + 1], a[i + 2] = a[i] - x, a[i + 1] - y, a[i + 2] - z
    position_rates(topology, state.q, v, rates.q)
    powers(topology, joints, problem, ground, rates, v)
    for i in range(len(rates.place)):
        out[i] = rates.rate[rates.place[i]]


@kernel
def differs(rate_table, mode):
    """Write each candidate's mode from the signs of its event functions; return if one changed."""
    rates, other = tables.rates(rate_table), False
    for c in range(len(rates.mode)):
        value = 0.0
        if rates.switching[c, 0] > 0.0:
            value = 2.0 if rates.switching[c, 1] > 0.0 else 1.0
        rates.mode[c] = value
        if value != mode[c]:
            other = True
    return other


@kernel
def book(table, rate_table, dt):
    """Add forces and loads over an inner step to their integrals, by the trapezoidal rule."""
    problem, rates = tables.open_problem(table), tables.rates(rate_table)
    half = 0.5 * dt
    for c in range(len(rates.mode)):
        for k in range(6):
            rates.total[c, k] += half * rates.last[c, k]
            rates.last[c, k] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        c = problem.candidate[b]
        for k in range(3):
            rates.last[c, k] = rates.force[3 * b + k]
        rates.last[c, 3], rates.last[c, 4], rates.last[c, 5] = world_force(problem, rates.force, b)
    for c in range(len(rates.mode)):
        for k in range(6):
            rates.total[c, k] += half * rates.last[c, k]
    for k in range(len(rates.load)):
        rates.total_load[k] += half * (rates.last_load[k] + rates.load[k])
        rates.last_load[k] = rates.load[k]


@kernel
def hold(table, rate_table, dt):
    """Hold the law's force over a step and advance the law's state variables: explicit Euler."""
    problem, rates = tables.open_problem(table), tables.rates(rate_table)
    for i in range(problem.size[ProblemSize.ROWS]):
        problem.impulse[i] = dt * rates.force[i]
        problem.offset[i] = 0.0
    for i in range(len(rates.place)):
        rates.vector[rates.place[i]] += dt * rates.rate[rates.place[i]]


@kernel
def grow(values, rates, dt):
    """Advance the law's state variables of contacts that come and go: explicit Euler."""
    for c in range(len(values)):
        for k in range(values.shape[1]):
            values[c, k] += dt * rates[c, k]

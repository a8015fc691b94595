"""The kernels called by a step: each joins all stages between two plugin calls.

Each takes the world's table of arrays (``kernels.tables``) and opens what it needs.
"""

from __future__ import annotations

from functools import partial

from footfall.jit.compiling import inner, kernel
from footfall.jit.stages import call
from footfall.problem.arrays import ProblemReport, ProblemSize, Residual
from footfall.problem.blocks import times_matrix
from footfall.problem.residuals import measure, target_velocity
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.assemble_problem import (
    enter_moments,
    find_jacobians,
    refresh_velocities,
    select_contacts,
    select_touching,
)
from footfall_stepper.kernels.contact.collect_forces import (
    add_impulses,
    collect_forces,
    mean_forces,
)
from footfall_stepper.kernels.contact.declared import locate, look_ahead, touch_points
from footfall_stepper.kernels.contact.delassus import (
    link_blocks,
    only_tree,
    times_panel,
    write_diagonal,
    write_panel,
    write_products,
)
from footfall_stepper.kernels.contact.detected import (
    clear_detected,
    detected_forces,
    look_ahead_detected,
    select_detected,
    select_detected_touching,
)
from footfall_stepper.kernels.contact.joint_rows import (
    add_joint_impulses,
    collect_joint_rows,
    enter_joint_rows,
    enter_limits,
    look_ahead_rows,
)
from footfall_stepper.kernels.dynamics.bias_acceleration import contact_bias, link_twists
from footfall_stepper.kernels.dynamics.equations_of_motion import gather, settle_tree, start_energy
from footfall_stepper.kernels.dynamics.external_forces import apply_pushes
from footfall_stepper.kernels.dynamics.joint_springs import spring_loss
from footfall_stepper.kernels.dynamics.rigid_bodies import evaluate_free_bodies
from footfall_stepper.kernels.step.advance import (
    add_impulse,
    all_finite,
    move_flying,
    move_on,
    velocity_step,
)
from footfall_stepper.kernels.step.energy import impulse_work, keep_ledger, settle_ledger
from footfall_stepper.kernels.step.halfway import FROM_MIDDLE, FROM_START
from footfall_stepper.kernels.step.row import (
    note_step,
    record_free_accelerations,
    record_state,
    record_step,
    sum_up,
)
from footfall_stepper.world.joint_rows import JointRowForm, JointRowUse
from footfall_stepper.world.step_arrays import NEVER, Ledger, StepFigure


@inner
def clear_monitor(monitor):
    """Start the report of a new step."""
    for k in range(5):
        monitor.residual[k] = 0.0
    for k in range(8):
        monitor.step[k] = 0.0
    monitor.step[StepFigure.CUTS] = 0.0


@partial(kernel, slp=True)
def settle_engine_tree(table, evaluation, tree, dt):
    """Take over an engine's evaluation of a tree; find where to query the terrain."""
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics = tables.open_dynamics(table)
    state, engine = tables.state(table), tables.evaluation(evaluation)
    if tree == 0:
        start_energy(dynamics.energy)
    gather(topology, dynamics, tree, engine.M, engine.h, engine.S, engine.pose)
    apply_pushes(topology, joints, dynamics, tables.pushes(table), tree)
    rows = tables.joint_rows(table)
    settle_tree(topology, joints, rows, dynamics, tree, state.q, state.v, dt)
    if tree == len(topology.free) - 1:
        locate(tables.open_candidates(table), dynamics)


@kernel
def settle_free_bodies(table, full, dt):
    """Evaluate all rigid bodies without joints; they are the last trees of a world.

    ``full``: whether the law needs the accelerations at the start, see ``share_turning``.
    """
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics = tables.open_dynamics(table)
    state = tables.state(table)
    if topology.free[0] == 1:
        start_energy(dynamics.energy)
    rows, pushes = tables.joint_rows(table), tables.pushes(table)
    evaluate_free_bodies(topology, joints, rows, dynamics, pushes, state.q, state.v, full, dt)
    locate(tables.open_candidates(table), dynamics)


@partial(kernel, slp=True)
def prepare(table, margin, threshold, row, at, time, dt, first):
    """Find the contacts of a step or its next part, and the next impact, from the terrain's sample.

    Includes contact points, gaps and point velocities; the first part of a step also records the
    state at its start. ``assemble`` follows if the part is made.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    candidates, ground = tables.open_candidates(table), tables.open_ground(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    state, monitor, detected = tables.state(table), tables.monitor(table), tables.detected(table)
    rows, declared = tables.joint_rows(table), len(candidates.link)
    settle_ledger(dynamics, state)
    touch_points(candidates, dynamics, ground)
    link_twists(topology, candidates.links, dynamics.S, state.v, dynamics.twist)
    link_twists(topology, candidates.links, dynamics.S, dynamics.v_free, dynamics.free_twist)
    if first:
        clear_monitor(monitor)
        for c in range(declared):
            for k in range(3):
                candidates.impulse[c, k] = 0.0
        for c in range(len(candidates.moment)):
            for k in range(3):
                candidates.moment[c, k] = 0.0
        clear_detected(detected, state)
        for j in range(len(rows.impulse)):
            rows.impulse[j] = 0.0
        record_state(topology, dynamics, candidates, state, row, at, time)
    look_ahead(candidates, ground, dynamics, state, monitor, threshold, dt)
    look_ahead_detected(detected, dynamics, state, monitor, threshold, dt)
    look_ahead_rows(rows, topology, dynamics, state, monitor, threshold, dt)
    step = monitor.step
    speeds = (
        step[StepFigure.APPROACH_LIMIT],
        step[StepFigure.DEPARTURE_LIMIT],
        step[StepFigure.LOCATED],
    )
    select_contacts(candidates, ground, dynamics, state, sides, problem, margin, speeds, dt)
    select_detected(detected, dynamics, state, sides, problem, declared, margin, speeds, dt)
    enter_moments(candidates, detected, sides, problem)
    enter_joint_rows(rows, topology, dynamics, state, sides, problem, speeds, dt)
    step[StepFigure.BLOCKS] = problem.size[ProblemSize.BLOCKS]


@partial(kernel, slp=True)
def assemble(table, whole):
    """Write Jacobians, velocities and the Delassus matrix of the problem's blocks.

    ``whole``: number of rows up to which all of it is written, see
    ``ContactModel.whole_matrix_rows``; always all with torsional or rolling friction.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    ground, sides = tables.open_ground(table), tables.open_sides(table)
    loops, rows = tables.loops(table), tables.joint_rows(table)
    problem, state = tables.open_problem(table), tables.state(table)
    find_jacobians(topology, dynamics, loops, rows, ground, sides, problem, state.v)
    link_blocks(topology, sides, problem)
    tree, may_wait = only_tree(topology, sides, problem), len(problem.moments) == 0
    if may_wait and problem.size[ProblemSize.ROWS] > whole:
        write_diagonal(topology, sides, problem)
    elif may_wait and whole < NEVER and tree >= 0:
        write_panel(topology, loops, sides, problem, tree)
    else:
        write_products(topology, loops, sides, problem)


@partial(kernel, slp=True)
def write_matrix(table):
    """Write the Delassus matrix of the pairs that ``assemble`` has listed."""
    topology, loops = tables.open_topology(table), tables.loops(table)
    write_products(topology, loops, tables.open_sides(table), tables.open_problem(table))


@kernel
def build_impact(table, touch, dt):
    """Select the contacts of the impulsive problem: touching points; ``assemble`` follows."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    ground = tables.open_ground(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    candidates = tables.open_candidates(table)
    state, detected, declared = tables.state(table), tables.detected(table), len(candidates.link)
    select_touching(candidates, ground, dynamics.pose, state, sides, problem, touch, dt)
    select_detected_touching(detected, dynamics.pose, state, sides, problem, declared, touch)
    enter_moments(candidates, detected, sides, problem)
    rows = tables.joint_rows(table)
    if rows.active[JointRowUse.IN_IMPACTS] == 1:
        enter_limits(rows, topology, state, sides, problem, touch)


@kernel
def jump(table):
    """Add ``scratch.change`` to v and v_free after the forces of the step have been found.

    Used if contact forces come first, from the velocity before the impact, and the impact
    afterwards, as in Guedelha's simulator of open chains.
    """
    dynamics, state = tables.open_dynamics(table), tables.state(table)
    change = tables.scratch(table).change
    for k in range(len(change)):
        state.v[k] += change[k]
        dynamics.v_free[k] += change[k]
    topology, candidates = tables.open_topology(table), tables.open_candidates(table)
    rows, ground = tables.joint_rows(table), tables.open_ground(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    refresh_velocities(candidates, topology, dynamics, rows, ground, sides, problem, state.v)


@kernel
def take_back_impulse(table, v_new):
    """Set the free velocity from which the impulse leads to a known velocity.

    ``v_free = v_new - M^-1 J' r``, for a step that was computed elsewhere: later stages then find
    ``J v_new`` as the velocity of the contacts at its end.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    sides = tables.open_sides(table)
    problem, change = tables.open_problem(table), dynamics.v_position
    for k in range(len(change)):
        change[k] = 0.0
    add_impulse(topology, dynamics, tables.loops(table), sides, problem, problem.impulse, change)
    for k in range(len(change)):
        dynamics.v_free[k] = v_new[k] - change[k]
    candidates, ground = tables.open_candidates(table), tables.open_ground(table)
    rows, state = tables.joint_rows(table), tables.state(table)
    refresh_velocities(candidates, topology, dynamics, rows, ground, sides, problem, state.v)


@kernel
def build_jdot_v(table):
    """Add ``Jdot v`` to the problem, for laws that need it."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    candidates, ground = tables.open_candidates(table), tables.open_ground(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    state = tables.state(table)
    contact_bias(topology, dynamics, candidates, ground, sides, problem, state)


@partial(kernel, slp=True)
def judge(table):
    """Measure the residuals of a law's answer; keep the largest over the parts of a step.

    The velocities that the answer leads to are left in ``scratch.target``.
    """
    topology, sides = tables.open_topology(table), tables.open_sides(table)
    problem, monitor = tables.open_problem(table), tables.monitor(table)
    target, scratch = tables.scratch(table).target, tables.open_dynamics(table).v_position
    if problem.in_product[0] == 1:
        times_panel(sides, problem, problem.impulse, target)
    elif problem.pending[0] == 1:
        times_matrix(
            *(problem, sides.link, sides.start, sides.Z, topology.span_start, topology.span),
            *(topology.link_tree, topology.tree_v),
            *(problem.impulse, scratch, problem.free_velocity, target),
        )
    else:
        target_velocity(problem, problem.impulse, target)
    r = monitor.residual
    kept = (
        r[Residual.NATURAL_MAP],
        r[Residual.SIGNORINI],
        r[Residual.DISSIPATION],
        r[Residual.COMPLEMENTARITY],
        r[Residual.OUTSIDE_CONE],
    )
    measure(problem, target, r)
    for k in range(5):
        r[k] = max(kept[k], r[k])
    monitor.step[StepFigure.ITERATIONS] += problem.report[ProblemReport.ITERATIONS]
    monitor.step[StepFigure.RESIDUAL] = max(
        monitor.step[StepFigure.RESIDUAL], problem.report[ProblemReport.RESIDUAL]
    )
    monitor.step[StepFigure.FAILURES] += problem.report[ProblemReport.FAILED]


@kernel
def apply_impact(table):
    """Apply the jump of the velocity: ``v+ = v + M^-1 J' r``; no time passes, nothing moves.

    It follows ``judge``.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    state, target = tables.state(table), tables.scratch(table).target
    tables.monitor(table).step[StepFigure.CUTS] += problem.report[ProblemReport.CORRECTS]
    tables.monitor(table).step[StepFigure.IMPACTS] += 1.0
    relative, by_ground = impulse_work(
        topology, dynamics, sides, problem, tables.open_ground(table), target
    )
    state.ledger[Ledger.WORK] += by_ground
    state.ledger[Ledger.TAKEN] -= relative
    state.ledger[Ledger.IMPACTS] += 1.0
    add_impulses(tables.open_candidates(table), tables.detected(table), problem)
    add_joint_impulses(tables.joint_rows(table), sides, problem)
    add_impulse(topology, dynamics, tables.loops(table), sides, problem, problem.impulse, state.v)


@inner
def book_spring_loss(rows, topology, dynamics, state, change, dt):
    """Book the energy dissipated by limits and friction that act as springs and dampers."""
    if rows.active[JointRowUse.FORM] == JointRowForm.AS_SPRINGS:
        loss = spring_loss(rows, topology, dynamics, change, state.q, state.v, dt)
        state.ledger[Ledger.TAKEN] += loss


@inner
def complete_step(way, table, flight, theta, dt):
    """Advance from the law's impulse, after ``judge``, to the new state.

    ``flight``: shape (2,), the stage ``complete_flight``.
    """
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics, scratch = tables.open_dynamics(table), tables.scratch(table)
    candidates, ground = tables.open_candidates(table), tables.open_ground(table)
    sides = tables.open_sides(table)
    problem, state, monitor = tables.open_problem(table), tables.state(table), tables.monitor(table)
    pushes, loops, rows = tables.pushes(table), tables.loops(table), tables.joint_rows(table)
    velocity_step(way, topology, dynamics, loops, pushes, sides, problem, state.v, theta, dt)
    keep_ledger(topology, joints, dynamics, sides, problem, ground, state, scratch, dt)
    book_spring_loss(rows, topology, dynamics, state, scratch.change, dt)
    collect_forces(candidates, tables.detected(table), problem, state, scratch.target)
    collect_joint_rows(rows, state, sides, problem)
    if move_on(way, topology, dynamics, sides, problem, state.q, state.v, theta, dt):
        call(flight[0], flight[1])
    if not all_finite(state.v) or not all_finite(state.q):
        monitor.step[StepFigure.NOT_FINITE] = 1.0


@partial(kernel, slp=True)
def complete(table, flight, theta, dt):
    """Run ``complete_step`` from the start of the step."""
    complete_step(FROM_START, table, flight, theta, dt)


@partial(kernel, slp=True)
def complete_from_middle(table, flight, theta, dt):
    """Run ``complete_step`` from its midpoint."""
    complete_step(FROM_MIDDLE, table, flight, theta, dt)


@kernel
def complete_flight(table, by_middle):
    """Run ``move_flying``, the last part of a step that is otherwise complete."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    problem, state = tables.open_problem(table), tables.state(table)
    if by_middle:
        move_flying(FROM_MIDDLE, topology, dynamics, problem, state.q, state.v)
    else:
        move_flying(FROM_START, topology, dynamics, problem, state.q, state.v)


@kernel
def finish_row(table, by_middle, row, at, dt):
    """Write the results of the whole step of length dt to its row.

    ``by_middle``: see ``OneStep.by_middle``.
    """
    dynamics, candidates = tables.open_dynamics(table), tables.open_candidates(table)
    state = tables.state(table)
    monitor, frame = tables.monitor(table), tables.scratch(table).frame
    ground, detected = tables.open_ground(table), tables.detected(table)
    mean_forces(candidates, ground, frame, dt)
    detected_forces(detected, state, frame, dt)
    record_step(dynamics, candidates, ground, detected, state, monitor, row, at, dt)
    note_step(tables.open_topology(table), state, row, at, dt)
    record_free_accelerations(tables.open_topology(table), state, by_middle, row, at)
    sum_up(monitor)

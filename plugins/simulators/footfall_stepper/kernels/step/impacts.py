"""Impacts: a step in parts: up to each impact, the impact, and the rest.

An impact that is too slow does not bounce; under a compliant law points at rest have no impacts.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel, routine
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.problem.blocks import label_groups
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.joint_rows import stops_are_open
from footfall_stepper.kernels.step import program as steps
from footfall_stepper.kernels.step.program import (
    Choice,
    Clock,
    Ending,
    Phase,
    advance,
    ask,
    do,
    find_forces,
    solve,
)
from footfall_stepper.world.step_arrays import NEVER, StepFigure

ROUNDING = 1e-6
"""Tolerance by which an approach speed may exceed the threshold, relative to it, [-]."""
CROWD = 32
"""Number of contacts above which inelastic impacts are left to the law: shocks through piles."""
SHORTEST = 1e-12
"""Shortest rest of a step that is computed, [s]."""


@inner
def mark_fast(problem, fast, threshold, touch):
    """Mark the candidates that reached the ground faster than the threshold [m/s].

    A step is not split at slow impacts. Such a point is noticed up to a step later, below the
    ground and faster. With the acceleration a towards the ground its speed at the ground was
    ``w^2 = u^2 - 2 a depth``. Judged by u, it would bounce with ``e g dt`` forever under a law
    without correction of penetration.

    The problem is that of the step in which the points are noticed, with its own dt. Points with a
    gap of at most ``touch`` [m] count.
    """
    for c in range(len(fast)):
        fast[c] = 0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[b] == BlockKind.CONE and problem.gap[b] <= touch:
            normal = problem.row[b] + 2
            u, free = problem.velocity[normal], problem.free_velocity[normal]
            a, down = max(u - free, 0.0) / problem.dt[0], min(u, 0.0)
            square = down * down + 2.0 * a * problem.gap[b]
            if math.sqrt(max(square, 0.0)) > threshold * (1.0 + ROUNDING):
                fast[problem.candidate[b]] = 1


@inner
def drop_slow_restitution(problem, fast, label):
    """Remove the restitution of impact contacts that are not linked to a fast contact.

    Slow points linked to a fast one keep it: a shock may pass through them. ``label``: scratch, a
    number per block.
    """
    label_groups(problem, label)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if problem.candidate[b] >= 0 and fast[problem.candidate[b]] == 1:
            label[b if label[b] < 0 else label[b]] = -1
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if label[b] >= 0 and label[label[b]] >= 0:
            problem.restitution[b] = 0.0


@kernel
def mark(table, threshold, touch):
    """Run ``mark_fast`` on a table."""
    mark_fast(tables.open_problem(table), tables.scratch(table).fast, threshold, touch)


@kernel
def drop(table):
    """Run ``drop_slow_restitution`` on a table."""
    scratch = tables.scratch(table)
    drop_slow_restitution(tables.open_problem(table), scratch.fast, scratch.label)


@kernel
def is_open(table, touch):
    """Return whether all gaps are larger than ``touch`` [m].

    The ground may bend or move away, so that a predicted impact does not occur.
    """
    gap, detected = tables.open_candidates(table).gap, tables.detected(table).gap
    for c in range(len(gap)):
        if gap[c] <= touch:
            return 0
    for d in range(tables.state(table).detected[0]):
        if detected[d] <= touch:
            return 0
    rows, topology = tables.joint_rows(table), tables.open_topology(table)
    return stops_are_open(rows, topology, tables.state(table).q, touch)


@inner
def look(p, time, dt, lasting):
    """Query the ground and build the problem of a later part of the step, of length dt.

    An impact takes no time: a moving ground's velocity is that of the instant.
    """
    p.clock[Clock.TIME], p.clock[Clock.PART], p.clock[Clock.LASTING] = time, dt, lasting
    do(p, Phase.SENSE)


@inner
def settle(p, dt):
    """Find free velocities for another dt; 0 in an impact."""
    p.clock[Clock.PART] = dt
    do(p, Phase.SETTLE)


@inner
def prepare_rest(p, time, left):
    """Prepare the rest of the step with the new velocity."""
    p.flags[StepFigure.NEXT_IMPACT] = NEVER
    if left > SHORTEST:
        do(p, Phase.BIAS)
        settle(p, left)
        look(p, time, left, left)
        solve(p, Phase.SWEEP)


@inner
def make_part(p, time, dt):
    """Advance by a part of the step, up to an impact, and evaluate the trees there."""
    p.flags[StepFigure.APPROACH_LIMIT] = p.clock[Clock.THRESHOLD]
    settle(p, dt)
    look(p, time, dt, dt)
    advance(p)
    p.flags[StepFigure.APPROACH_LIMIT], p.clock[Clock.PART] = NEVER, 0.0
    do(p, Phase.EVALUATE)


@inner
def resolve(p):
    """Find the impulse of an impact, with as much restitution as adds no energy."""
    solve(p, Phase.RESOLVE)
    while ask(p, Phase.CUT) > 0:
        solve(p, Phase.RESOLVE)


@routine
def collide(p, time, left, touch):
    """Resolve the impact of points with ``gap <= touch``, with restitution; see ``settle``."""
    flags, threshold = p.flags, p.clock[Clock.THRESHOLD]
    slow = flags[StepFigure.IMPACT_BOUNCES] == 0.0 or flags[StepFigure.IMPACT_SPEED] <= threshold
    look(p, time, max(left, SHORTEST), 0.0)
    p.clock[Clock.TOUCH], p.clock[Clock.PART] = touch, 0.0
    if ask(p, Phase.BUILD) == 0:
        if slow:
            do(p, Phase.MARK)
            do(p, Phase.DROP)
        resolve(p)
        do(p, Phase.APPLY)
    prepare_rest(p, time, left)


@inner
def resolve_new(p, time, dt):
    """Apply the impact model to points that newly touch; a slow impact has no restitution."""
    p.clock[Clock.TOUCH] = 0.0
    do(p, Phase.ASSEMBLE)
    do(p, Phase.MARK)
    settle(p, 0.0)
    look(p, time, dt, 0.0)
    do(p, Phase.BUILD)
    do(p, Phase.DROP)
    resolve(p)
    do(p, Phase.APPLY)


@inner
def jump_after_forces(p, time, dt):
    """Find forces from the velocity before the impact, then apply the impact."""
    v, change = p.v, p.change
    for k in range(len(v)):
        change[k] = v[k]
    resolve_new(p, time, dt)
    for k in range(len(v)):
        change[k], v[k] = v[k] - change[k], change[k]
    settle(p, dt)
    look(p, time, dt, dt)
    find_forces(p)
    do(p, Phase.JUMP)
    do(p, Phase.COMPLETE)
    for k in range(len(v)):
        change[k] = 0.0


@inner
def split(p, end, left):
    """Advance to the next impact, resolve it and prepare the rest; return its length."""
    at = p.flags[StepFigure.NEXT_IMPACT]
    if at > 0.0:
        make_part(p, end - left, at)
        left -= at
    else:
        settle(p, 0.0)
    collide(p, end - left, left, p.clock[Clock.CLOSED])
    return left


@inner
def split_at_impacts(p, time, dt):
    """Advance from impact to impact, then make the rest of the step.

    Swept impacts have a limit of their own: behind it none is found.
    """
    flags, end, left, splits, swept = p.flags, time + dt, dt, 0, 0
    located, most = flags[StepFigure.LOCATED], p.choice[Choice.MOST]
    closed = p.clock[Clock.CLOSED]
    while flags[StepFigure.NEXT_IMPACT] <= left and p.choice[Choice.ENDED] == Ending.DONE:
        inelastic, late = flags[StepFigure.IMPACT_BOUNCES] == 0.0, splits >= most
        if flags[StepFigure.SWEPT] != 0.0:
            left = split(p, end, left)
            swept += 1
        elif inelastic and (late or flags[StepFigure.BLOCKS] > CROWD):
            flags[StepFigure.UNRESOLVED] += 1.0
            # The law handles the rest; bouncing points are still looked for.
            flags[StepFigure.LOCATED] = NEVER
            look(p, end - left, left, left)
            solve(p, Phase.SWEEP)
        elif late:
            flags[StepFigure.UNRESOLVED] += 1.0
            settle(p, 0.0)
            collide(p, end - left, left, closed + flags[StepFigure.IMPACT_SPEED] * left)
            if flags[StepFigure.SWEPT] == 0.0:
                break
        else:
            left = split(p, end, left)
            splits += 1
    flags[StepFigure.SPLITS], flags[StepFigure.LOCATED] = splits + swept, located
    if left > SHORTEST:
        advance(p)


@kernel
def split_step(table):
    """Advance from the problem of a step, already built, to the new state.

    Used if a point bounces, or newly touches under an impact model.
    """
    p = steps.program(table)
    time, dt = p.clock[Clock.TIME], p.clock[Clock.LENGTH]
    p.choice[Choice.FIRST] = 0
    newly = p.choice[Choice.ACTS] == 1 and p.flags[StepFigure.NEW_TOUCHES] > 0.0
    if newly and p.choice[Choice.FOLLOWS] == 1:
        jump_after_forces(p, time, dt)
    else:
        if newly:
            resolve_new(p, time, dt)
            prepare_rest(p, time, dt)
        split_at_impacts(p, time, dt)
    p.clock[Clock.TIME], p.clock[Clock.PART] = time, dt

"""Impacts: a step in parts, up to each impact, the impact, and the rest.

An impact that is too slow does not bounce; under a compliant law points at rest have none.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel, routine
from footfall.problem.arrays import BLOCKS, CONE
from footfall.problem.blocks import label_groups
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.step import program as steps
from footfall_stepper.kernels.step.program import advance, ask, do, solve
from footfall_stepper.world.step_arrays import NEVER, STEP

ROUNDING = 1e-6
"""By which an approach speed may exceed the threshold, relative to it, [-]."""
CROWD = 32
"""Contacts beyond which inelastic impacts are left to the law: shocks through piles."""
CLOSED = 1e-5
"""Gap up to which a point takes part in an impact, [m]: the error of a predicted impact time."""
SHORTEST = 1e-12
"""Rest of a step that is not worth making, [s]."""


@inner
def mark_fast(problem, fast, threshold, touch):
    """Mark the candidates that came to the ground faster than the threshold [m/s].

    A step is not split where a point comes in slowly; the point is noticed up to a step later,
    below the ground and faster. With the acceleration a towards the ground it came to it at
    ``w^2 = u^2 - 2 a depth``. Judged by u instead, it would bounce on ``e g dt`` for ever under a
    law that knows no way back to the surface.

    The problem is that of the step in which the points are noticed, with its own dt. Points with a
    gap of at most ``touch`` [m] count.
    """
    for c in range(len(fast)):
        fast[c] = 0
    for b in range(problem.size[BLOCKS]):
        if problem.kind[b] == CONE and problem.gap[b] <= touch:
            normal = problem.row[b] + 2
            u, free = problem.velocity[normal], problem.free_velocity[normal]
            a, down = max(u - free, 0.0) / problem.dt[0], min(u, 0.0)
            square = down * down + 2.0 * a * problem.gap[b]
            if math.sqrt(max(square, 0.0)) > threshold * (1.0 + ROUNDING):
                fast[problem.candidate[b]] = 1


@inner
def drop_slow_restitution(problem, fast, label):
    """Take the restitution from the contacts of an impact that no fast one is linked with.

    Slow points beside a fast one keep theirs: a shock may pass through them. ``label``: scratch, a
    number for each block.
    """
    label_groups(problem, label)
    for b in range(problem.size[BLOCKS]):
        if problem.candidate[b] >= 0 and fast[problem.candidate[b]] == 1:
            label[b if label[b] < 0 else label[b]] = -1
    for b in range(problem.size[BLOCKS]):
        if label[b] >= 0 and label[label[b]] >= 0:
            problem.restitution[b] = 0.0


@kernel
def mark(table, threshold, touch):
    """Do ``mark_fast``."""
    mark_fast(tables.problem(table), tables.scratch(table).fast, threshold, touch)


@kernel
def drop(table):
    """Do ``drop_slow_restitution``."""
    scratch = tables.scratch(table)
    drop_slow_restitution(tables.problem(table), scratch.fast, scratch.label)


@kernel
def is_open(table, touch):
    """Whether no gap is at most ``touch`` [m].

    The ground bends or moves away: where a plane would have been met there is none.
    """
    gap, detected = tables.candidates(table).gap, tables.detected(table).gap
    for c in range(len(gap)):
        if gap[c] <= touch:
            return 0
    for d in range(tables.state(table).detected[0]):
        if detected[d] <= touch:
            return 0
    return 1


@inner
def look(p, time, dt, lasting):
    """Ask the ground and build the problem of a later part of the step, of length dt.

    An impact lasts no time: a moving ground's velocity is then that of the instant.
    """
    p.clock[steps.TIME], p.clock[steps.PART], p.clock[steps.LASTING] = time, dt, lasting
    do(p, steps.SENSE)


@inner
def evaluate_again(p, dt):
    """Evaluate again after a jump of the velocity, or for another dt."""
    p.clock[steps.PART] = dt
    do(p, steps.BIAS)


@inner
def prepare_rest(p, time, left):
    """Prepare the rest of the step with the new velocity."""
    p.flags[STEP.next_impact] = NEVER
    if left > SHORTEST:
        evaluate_again(p, left)
        look(p, time, left, left)


@inner
def make_part(p, time, dt):
    """Move by a part of the step, up to an impact."""
    p.flags[STEP.approach_limit] = p.clock[steps.THRESHOLD]
    evaluate_again(p, dt)
    look(p, time, dt, dt)
    advance(p)
    p.flags[STEP.approach_limit] = NEVER
    do(p, steps.EVALUATE)


@routine
def collide(p, time, left, touch):
    """Resolve the impact of points with ``gap <= touch``, with restitution."""
    flags, threshold = p.flags, p.clock[steps.THRESHOLD]
    slow = flags[STEP.impact_bounces] == 0.0 or flags[STEP.impact_speed] <= threshold
    evaluate_again(p, 0.0)
    look(p, time, max(left, SHORTEST), 0.0)
    p.clock[steps.TOUCH], p.clock[steps.PART] = touch, 0.0
    if ask(p, steps.BUILD) == 0:
        if slow:
            do(p, steps.MARK)
            do(p, steps.DROP)
        solve(p, steps.RESOLVE)
        do(p, steps.APPLY)
    prepare_rest(p, time, left)


@inner
def resolve_new(p, time, dt):
    """Let the impact model act on points that newly touch; a slow impact has no restitution."""
    p.clock[steps.TOUCH] = 0.0
    do(p, steps.MARK)
    evaluate_again(p, 0.0)
    look(p, time, dt, 0.0)
    do(p, steps.BUILD)
    do(p, steps.DROP)
    solve(p, steps.RESOLVE)
    do(p, steps.APPLY)


@inner
def jump_after_forces(p, time, dt):
    """Find forces first, from the velocity before the impact, and let it follow them."""
    v, change = p.v, p.change
    for k in range(len(v)):
        change[k] = v[k]
    resolve_new(p, time, dt)
    for k in range(len(v)):
        change[k], v[k] = v[k] - change[k], change[k]
    evaluate_again(p, dt)
    look(p, time, dt, dt)
    solve(p, steps.SOLVE)
    do(p, steps.JUMP)
    do(p, steps.COMPLETE)
    for k in range(len(v)):
        change[k] = 0.0


@inner
def split_at_impacts(p, time, dt):
    """Go from impact to impact, and make the rest of the step."""
    flags, end, left, splits = p.flags, time + dt, dt, 0
    located, most = flags[STEP.located], p.choice[steps.MOST]
    while flags[STEP.next_impact] <= left and p.choice[steps.ENDED] == steps.DONE:
        inelastic = flags[STEP.impact_bounces] == 0.0
        if inelastic and (splits >= most or flags[STEP.blocks] > CROWD):
            flags[STEP.unresolved] += 1.0
            # The law's from here on; what bounces is still looked for.
            flags[STEP.located] = NEVER
            look(p, end - left, left, left)
        elif splits >= most:
            flags[STEP.unresolved] += 1.0
            collide(p, end - left, left, CLOSED + flags[STEP.impact_speed] * left)
            break
        else:
            at = flags[STEP.next_impact]
            if at > 0.0:
                make_part(p, end - left, at)
                left -= at
            splits += 1
            collide(p, end - left, left, CLOSED)
    flags[STEP.splits], flags[STEP.located] = splits, located
    if left > SHORTEST:
        advance(p)


@kernel
def split_step(table):
    """Go from the problem of a step, which is built, to the new state.

    Something bounces, or newly touches where an impact model acts.
    """
    p = steps.program(table)
    time, dt = p.clock[steps.TIME], p.clock[steps.LENGTH]
    p.choice[steps.FIRST] = 0
    newly = p.choice[steps.ACTS] == 1 and p.flags[STEP.new_touches] > 0.0
    if newly and p.choice[steps.FOLLOWS] == 1:
        jump_after_forces(p, time, dt)
    else:
        if newly:
            resolve_new(p, time, dt)
            prepare_rest(p, time, dt)
        split_at_impacts(p, time, dt)
    p.clock[steps.TIME], p.clock[steps.PART] = time, dt

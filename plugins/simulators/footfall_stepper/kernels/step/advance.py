"""The end of a step: velocities from impulses, and positions of each kind of tree."""

from __future__ import annotations

from footfall.jit.compiling import by_type, inner
from footfall.problem.arrays import ProblemReport, ProblemSize
from footfall.world.arrays import Airborne
from footfall_stepper.kernels.dynamics.equations_of_motion import move_tree
from footfall_stepper.kernels.dynamics.factor import solve_lower
from footfall_stepper.kernels.dynamics.momentum import fly_tree, momentum_due, take_back, turn_pairs
from footfall_stepper.kernels.dynamics.rigid_bodies import (
    carries_momentum,
    fly_free_body,
    move_free_body,
)
from footfall_stepper.kernels.loops.eliminate import free_of_loops
from footfall_stepper.kernels.step import halfway
from footfall_stepper.world.step_arrays import PRESCRIBED

START, MIDDLE, nothing = halfway.FromStart, halfway.FromMiddle, halfway.nothing
let_fly = by_type({START: fly_free_body, MIDDLE: nothing})
find_momentum = by_type({START: momentum_due, MIDDLE: halfway.momentum_from_middle})
take_leave = by_type({START: nothing, MIDDLE: halfway.leave_middle})


@inner
def add_impulse(topology, dynamics, loops, sides, problem, impulse, v):
    """Add ``M^-1 J' r`` to v: ``L^-1 D^-1/2 (Z r)`` tree by tree, along the loops."""
    w, n = dynamics.work, problem.size[ProblemSize.BLOCKS]
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
                at += 4
    for tree in range(len(topology.free)):
        if sides.tree_start[tree + 1] == sides.tree_start[tree]:
            continue
        first, nv = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
        if topology.closed[tree] > 0:
            free_of_loops(topology, loops, tree, w)
        for k in range(first, first + nv):
            w[k] *= dynamics.scale[k]
        solve_lower(topology, tree, dynamics.L, w)
        for k in range(first, first + nv):
            v[k] += w[k]


@inner
def hold_what_leans(topology, dynamics, sides, problem):
    """Mark trees pushed by a tree that something fixed pushes as not free either.

    A robot on a plate stands on the ground below the plate. The momentum of both is not a sum of
    known impulses, and correcting it would move the feet against the plate.
    """
    changed = True
    while changed:
        changed = False
        for b in range(problem.size[ProblemSize.BLOCKS]):
            first, second = sides.link[b, 0], sides.link[b, 1]
            if first < 0 or problem.candidate[b] < 0 or problem.impulse[3 * b + 2] == 0.0:
                continue
            one, other = topology.link_tree[first], topology.link_tree[second]
            pushed = dynamics.airborne[one] == Airborne.PUSHED
            if pushed != (dynamics.airborne[other] == Airborne.PUSHED):
                dynamics.airborne[one] = dynamics.airborne[other] = Airborne.PUSHED
                changed = True


@inner
def fly(way, topology, dynamics, pushes, sides, problem, v, theta, dt):
    """Move floating bases without impulses by the mean of old and new velocity.

    Rigid bodies move and turn by it, bases of robots only move. Bodies held by a loop to the world
    or by a hand on a spring are left out. Trees in flight, or pushed by moving bodies only, are
    marked.
    """
    n, new, position = problem.size[ProblemSize.BLOCKS], dynamics.v_new, dynamics.v_position
    pushed = False
    for tree in range(len(topology.free)):
        dynamics.airborne[tree] = Airborne.PUSHED
        held = topology.closed[tree] == 2 or topology.free[tree] == PRESCRIBED
        if topology.floating[tree] == 0 or held:
            continue
        flying, loose = pushes.held[tree] == 0, True
        if n > 0:
            for p in range(sides.tree_start[tree], sides.tree_start[tree + 1]):
                # Impulses of joints come after the cones and are internal.
                b = sides.tree_block[p]
                if problem.candidate[b] >= 0 and problem.impulse[3 * b + 2] != 0.0:
                    flying, loose = False, loose and sides.link[b, 0] >= 0
        if loose:
            dynamics.airborne[tree] = Airborne.FLYING if flying else Airborne.LOOSE
            pushed = pushed or not flying
        if flying and carries_momentum(topology, tree):
            let_fly(way, topology, dynamics, tree, v, theta, dt)
        elif flying:
            first = topology.tree_v[tree]
            for k in range(first, first + 3):
                position[k] = 0.5 * (v[k] + new[k])
    if pushed:
        hold_what_leans(topology, dynamics, sides, problem)


@inner
def velocity_step(way, topology, dynamics, loops, pushes, sides, problem, v, theta, dt):
    """Write v_new and the velocity that moves positions, split impulses included.

    ``v_position = theta v_new + (1 - theta) v + M^-1 J' correction``. A floating base in flight (no
    impulse on its tree) instead moves by the mean of old and new velocity, unless the scheme is
    explicit. This is exact for ballistic motion and does not affect stability, because nothing
    depends on the position of a flying base.
    """
    new, position = dynamics.v_new, dynamics.v_position
    for k in range(len(new)):
        new[k] = dynamics.v_free[k]
    add_impulse(topology, dynamics, loops, sides, problem, problem.impulse, new)
    for k in range(len(new)):
        position[k] = theta * new[k] + (1.0 - theta) * v[k]
    if theta > 0.0:
        fly(way, topology, dynamics, pushes, sides, problem, v, theta, dt)
    if problem.report[ProblemReport.CORRECTS] != 0.0:
        add_impulse(topology, dynamics, loops, sides, problem, problem.correction, position)


@inner
def all_finite(x):
    """Return whether every entry is finite."""
    s = 0.0
    for k in range(len(x)):
        s += 0.0 * x[k]
    return s == 0.0


@inner
def move_on(way, topology, dynamics, sides, problem, q, v, theta, dt):
    """Advance q and v to the end of the step; return whether ``move_flying`` is needed.

    Rigid bodies carry their momentum, see ``kernels.dynamics.rigid_bodies``; other trees move with
    the velocity that the law solved for. Robots that nothing fixed pushes are left to
    ``move_flying``, which is rare and therefore compiled only when needed.
    """
    parted, left = problem.report[ProblemReport.CORRECTS] != 0.0, False
    if parted:
        turn_pairs(topology, dynamics, sides, problem, dt)
    new, position = dynamics.v_new, dynamics.v_position
    for tree in range(len(topology.free)):
        take_leave(way, topology, dynamics, tree, q, v, theta, dt)
        if carries_momentum(topology, tree):
            move_free_body(topology, dynamics, tree, q, v, theta, dt)
        elif dynamics.airborne[tree] > Airborne.PUSHED:
            left = True
        else:
            move_tree(topology, tree, q, v, new, position, dt)
    if parted:
        take_back(dynamics)
    return left


@inner
def move_flying(way, topology, dynamics, problem, q, v):
    """Advance robots that nothing fixed pushes to the end of the step with the required momentum.

    See ``kernels.dynamics.momentum``.
    """
    dt = problem.dt[0]
    for tree in range(len(topology.free)):
        if dynamics.airborne[tree] > Airborne.PUSHED and not carries_momentum(topology, tree):
            flown = (
                dynamics.airborne[tree] == Airborne.FLYING
                and problem.report[ProblemReport.CORRECTS] == 0.0
            )
            find_momentum(way, topology, dynamics, tree, v, dt)
            fly_tree(topology, dynamics, tree, q, v, flown, dt)

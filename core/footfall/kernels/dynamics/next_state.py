"""The end of a step: how each kind of tree moves on."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.kernels.dynamics.free_motion import carries_momentum, move_free_body
from footfall.kernels.dynamics.moving import move_tree
from footfall.kernels.dynamics.pair_turning import take_back, turn_pairs
from footfall.kernels.dynamics.tree_momentum import fly_tree
from footfall.kernels.step.advance import FLYING


@inner
def move_on(topology, dynamics, sides, problem, q, v, theta, dt):
    """Bring q and v to the end of the step.

    Rigid bodies carry their momentum, see ``free_motion``; robots that nothing fixed pushes keep
    it, see ``tree_momentum``; the others move with the velocity that the law solved for.
    """
    parted = problem.report[3] != 0.0
    if parted:
        turn_pairs(topology, dynamics, sides, problem, dt)
    new, position = dynamics.v_new, dynamics.v_position
    for tree in range(len(topology.free)):
        if carries_momentum(topology, tree):
            move_free_body(topology, dynamics, tree, q, v, theta, dt)
        elif dynamics.airborne[tree] > 0:
            flown = dynamics.airborne[tree] == FLYING and not parted
            fly_tree(topology, dynamics, tree, q, v, flown, dt)
        else:
            move_tree(topology, tree, q, v, new, position, dt)
    if parted:
        take_back(dynamics)

"""Moreau's midpoint: a step with the forces and contacts of half a step ahead.

``q_mid = q (+) dt/2 v``, M, h, J, gaps and limits at q_mid, ``q+ = q_mid (+) dt/2 v+`` (J. J.
Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988). The velocity in h is
``v + (v_free - v) / 2`` with the free velocity at q. From one midpoint to the next positions move
by ``dt v+``: between midpoints this is the semi-implicit step. Contacts, limits and implicit
gains act at its end and are as smooth and as stable as there.

Rigid bodies without joints carry their momentum through both halves. Those in flight, and robots
in flight, end at the position and with the momentum computed from the start of the step.
"""

from __future__ import annotations

from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.world.arrays import Airborne, Energy
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.dynamics.equations_of_motion import move_tree, quadratic_form
from footfall_stepper.kernels.dynamics.factor import solve
from footfall_stepper.kernels.dynamics.momentum import momentum_due
from footfall_stepper.kernels.dynamics.rigid_bodies import (
    carries_momentum,
    fly_free_body,
    move_free_body,
)


class FromStart(NamedTuple):
    """Forces and contacts of a step are those at its start."""


class FromMiddle(NamedTuple):
    """Forces and contacts of a step are those at the state half a step ahead."""


FROM_START, FROM_MIDDLE = FromStart(), FromMiddle()


@inner
def nothing(*_):
    """Do nothing."""


@inner
def go_half(topology, dynamics, tree, q, v, dt):
    """Move a tree by half a step; v becomes an estimate of the velocity at the midpoint."""
    first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
    for k in range(first, end):
        dynamics.v_new[k] = dynamics.v_position[k] = v[k]
        dynamics.turning[k] = 0.0
    if carries_momentum(topology, tree):
        move_free_body(topology, dynamics, tree, q, v, 0.0, 0.5 * dt)
    else:
        if topology.floating[tree] == 1:
            momentum_due(topology, dynamics, tree, v, 0.0)
            for k in range(12):
                dynamics.start_momentum[tree, k] = dynamics.moved[0, k]
        move_tree(topology, tree, q, v, dynamics.v_new, dynamics.v_position, 0.5 * dt)
    for k in range(first, end):
        dynamics.carried[k] = v[k]
        if not carries_momentum(topology, tree):
            v[k] += 0.5 * (dynamics.start_free[k] - dynamics.start_v[k])


@kernel
def go_halfway(table, dt):
    """Store the start of a step of length dt, and move all trees by half of it."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    state = tables.state(table)
    energy = dynamics.energy
    dynamics.start_energy[0] = energy[Energy.KINETIC] + energy[Energy.POTENTIAL]
    for k in range(len(state.q)):
        dynamics.start_q[k] = state.q[k]
    for k in range(len(state.v)):
        dynamics.start_v[k], dynamics.start_free[k] = state.v[k], dynamics.v_free[k]
        dynamics.start_turning[k] = dynamics.turning[k]
    for tree in range(len(topology.free)):
        go_half(topology, dynamics, tree, state.q, state.v, dt)


@kernel
def take_back_velocity(table):
    """Restore the velocity of the step's start after h was computed at the midpoint.

    With A the factored matrix, ``A v_free = M v + dt (tau - h - ...)``: the free velocity changes
    by ``A^-1 M`` times the change of the velocity. The energies become those of the start.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    v, M, energy = tables.state(table).v, dynamics.M, dynamics.energy
    energy[Energy.KINETIC] = 0.0
    for tree in range(len(topology.free)):
        first, at = topology.tree_v[tree], topology.tree_M[tree]
        n = topology.tree_v[tree + 1] - first
        for i in range(n):
            dynamics.work[first + i] = 0.0
            for j in range(n):
                change = dynamics.carried[first + j] - v[first + j]
                dynamics.work[first + i] += M[at + i * n + j] * change
        solve(topology, tree, dynamics.L, dynamics.work)
        for k in range(first, first + n):
            dynamics.v_free[k] += dynamics.work[k]
            v[k] = dynamics.carried[k]
        energy[Energy.KINETIC] += 0.5 * quadratic_form(topology, dynamics, tree, v)
    energy[Energy.POTENTIAL] = dynamics.start_energy[0] - energy[Energy.KINETIC]


@inner
def momentum_from_middle(topology, dynamics, tree, v, dt):
    """Run ``momentum_due`` from the momentum before: the midpoint gives only its change."""
    new, due = dynamics.v_new, dynamics.moved
    first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
    for k in range(first, end):
        new[k] -= v[k]
    momentum_due(topology, dynamics, tree, v, dt)
    for k in range(first, end):
        new[k] += v[k]
    for k in range(12):
        due[0, k] = dynamics.start_momentum[tree, k] + (due[0, k] if k < 6 else 0.0)


@inner
def leave_middle(topology, dynamics, tree, q, v, theta, dt):
    """Subtract the motion already made from the velocity that moves positions.

    Rigid bodies in flight go back to the start of the step and fly from there.
    """
    i, p, position = topology.tree_v[tree], topology.tree_q[tree], dynamics.v_position
    for k in range(i, topology.tree_v[tree + 1]):
        position[k] -= (1.0 - theta) * v[k]
    if not carries_momentum(topology, tree) or dynamics.airborne[tree] != Airborne.FLYING:
        return
    for k in range(i, i + 6):
        dynamics.carried[k] = position[k] - theta * dynamics.v_new[k]
        v[k], dynamics.v_new[k] = dynamics.start_v[k], dynamics.start_free[k]
        dynamics.turning[k] = dynamics.start_turning[k]
    for k in range(p, p + 7):
        q[k] = dynamics.start_q[k]
    fly_free_body(topology, dynamics, tree, v, theta, dt)
    for k in range(i, i + 6):
        position[k] += dynamics.carried[k]

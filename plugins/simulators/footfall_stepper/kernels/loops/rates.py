"""Closed loops in continuous time: accelerations along them, and their forces.

``C a + Cdot v = 0`` holds for every trial state. Between two ticks positions and velocities drift
off the loops by the integrator's error alone; they are projected at the start of each tick.
"""

from __future__ import annotations

from footfall.jit.compiling import kernel
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.loops.eliminate import (
    coordinates,
    correct_velocity,
    meet_rows,
    push_along,
    share_push,
    write_loops,
)


@kernel
def close_rates(table, rate_table, dt):
    """Set the free accelerations of closed trees to ``C a = -Cdot v``, and v_free with them."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    loops = tables.loops(table)
    state, a = tables.state(table), tables.rates(rate_table).v
    write_loops(loops, topology, dynamics, state)
    for tree in range(len(topology.closed)):
        if topology.closed[tree] == 0:
            continue
        coordinates(loops, topology, dynamics, tree, a, loops.free)
        meet_rows(loops, tree, loops.bias, -1.0, loops.aim)
        correct_velocity(loops, topology, dynamics, tree, a, loops.free)
        for k in range(topology.tree_v[tree], topology.tree_v[tree + 1]):
            dynamics.v_free[k] = state.v[k] + dt * a[k]


@kernel
def project_velocities(table):
    """Remove the part of velocities that opens loops."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    loops = tables.loops(table)
    push_along(loops, topology, dynamics, tables.state(table).v)


@kernel
def loop_forces(table):
    """Write the loops' forces of the last rates to ``impulse``, [N, N m]: ``R' (R R')^-1 z``."""
    topology, loops = tables.open_topology(table), tables.loops(table)
    for tree in range(len(topology.closed)):
        if topology.closed[tree] == 0:
            continue
        for i in range(loops.tree_row[tree], loops.tree_row[tree + 1]):
            loops.impulse[i] = 0.0
        share_push(loops, tree)

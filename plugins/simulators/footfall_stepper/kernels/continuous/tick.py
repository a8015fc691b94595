"""Continuous time: the start and the end of a tick, and its row of the recording."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.problem.arrays import RESIDUALS, Residual
from footfall.recording.variables import Column
from footfall.spatial.rotation import rotate_back
from footfall.world.arrays import Energy
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.collect_forces import record_wrenches
from footfall_stepper.kernels.step.energy import settle_ledger
from footfall_stepper.kernels.step.row import count_step, note_step, record_monitor, record_state
from footfall_stepper.world.step_arrays import Ledger, StepFigure


@kernel
def begin_row(table, rate_table, row, at, time):
    """Record the state at the start of the tick, which has just been evaluated."""
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    candidates = tables.open_candidates(table)
    state, monitor, rates = tables.state(table), tables.monitor(table), tables.rates(rate_table)
    settle_ledger(dynamics, state)
    for k in range(RESIDUALS):
        monitor.residual[k] = math.nan
    for k in range(StepFigure.NEXT_IMPACT):
        monitor.step[k] = 0.0
    record_state(topology, dynamics, candidates, state, row, at, time)
    elastic = dynamics.energy[Energy.ELASTIC]
    row[at[Column.ELASTIC_ENERGY]] = elastic
    row[at[Column.DISSIPATED_ENERGY]] -= elastic - state.ledger[Ledger.ELASTIC_AT_START]
    penetration = 0.0
    for c in range(len(candidates.link)):
        candidates.status[c] = rates.mode[c]
        row[at[Column.CONTACT_STATUS] + c] = rates.mode[c]
        row[at[Column.IN_CONTACT] + c] = 1.0 if rates.mode[c] > 0.0 else 0.0
        penetration = max(penetration, -candidates.gap[c])
        for k in range(6):
            rates.last[c, k] = rates.total[c, k] = 0.0
    for k in range(len(rates.load)):
        rates.last_load[k] = rates.total_load[k] = 0.0
    row[at[Column.PENETRATION]] = monitor.step[StepFigure.PENETRATION] = penetration


@inner
def mean_acceleration(topology, state, row, at, dt):
    """Record ``(v+ - v) / dt`` in the mixed representation, along the axes of the old base."""
    v, a, q_old, v_old = state.v, at[Column.A], at[Column.Q], at[Column.V]
    for k in range(len(v)):
        row[a + k] = v[k]
    for tree in range(len(topology.free)):
        if topology.floating[tree] == 1:
            i, j = topology.tree_q[tree] + 3, topology.tree_v[tree]
            x, y, z, w = state.q[i], state.q[i + 1], state.q[i + 2], state.q[i + 3]
            i += q_old
            for part in (j, j + 3):
                w0, w1, w2 = rotate_back(-x, -y, -z, w, v[part], v[part + 1], v[part + 2])
                row[a + part], row[a + part + 1], row[a + part + 2] = rotate_back(
                    row[i], row[i + 1], row[i + 2], row[i + 3], w0, w1, w2
                )
    for k in range(len(v)):
        row[a + k] = (row[a + k] - row[v_old + k]) / dt


@kernel
def end_row(table, rate_table, row, at, dt):
    """Record the forces over the tick, and add up its work and losses.

    ``KE + PE`` at the end should be that at the start plus the work of all forces. The difference
    is the integrator's own error, booked when the next tick evaluates it.
    """
    topology, candidates = tables.open_topology(table), tables.open_candidates(table)
    state, monitor, rates = tables.state(table), tables.monitor(table), tables.rates(rate_table)
    mean_acceleration(topology, state, row, at, dt)
    for k in range(len(rates.load)):
        row[at[Column.TAU] + k] = rates.total_load[k] / dt
    for c in range(len(candidates.link)):
        state.touching[c] = 1.0 if rates.mode[c] > 0.0 else 0.0
        for k in range(3):
            candidates.impulse[c, k] = rates.total[c, k]
            candidates.force[c, k] = rates.total[c, 3 + k] / dt
            row[at[Column.IMPULSE] + 3 * c + k] = candidates.impulse[c, k]
            row[at[Column.CONTACT_FORCE] + 3 * c + k] = candidates.force[c, k]
    record_wrenches(candidates, row, at[Column.CONTACT_POSITION], at[Column.FOOT_WRENCH])
    note_step(topology, state, row, at, dt)
    record_monitor(monitor, row, at)


@kernel
def book_tick(table, work, loss, relative):
    """Add a tick's quadratures to the ledger, [J]."""
    state, monitor = tables.state(table), tables.monitor(table)
    ledger, energy = state.ledger, tables.open_dynamics(table).energy
    ledger[Ledger.WORK] += work
    ledger[Ledger.TAKEN] += loss - relative
    mechanical = energy[Energy.KINETIC] + energy[Energy.POTENTIAL]
    ledger[Ledger.EXPECTED] = mechanical + work - loss + relative
    ledger[Ledger.EXPECTS] = 1.0
    monitor.run[Residual.NATURAL_MAP] = monitor.run[Residual.OUTSIDE_CONE] = math.nan
    count_step(monitor.run, monitor.step)


@kernel
def settle(table):
    """Book the integrator's error of the last tick after its end has been evaluated."""
    settle_ledger(tables.open_dynamics(table), tables.state(table))

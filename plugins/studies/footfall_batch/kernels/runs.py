"""Kernel that advances runs one after another in the arrays of one world."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.api.kernels import call, inner, kernel, open_topology, opener
from footfall.api.plugin import Floats1, Floats2, Ints1, Ints2
from footfall_batch.kernels.cost import FIRST, CostArrays, add_norms, cost_of, write_residuals
from footfall_batch.kernels.feedback import command


class JobEntry(IntEnum):
    """Places in ``RunArrays.job``."""

    FIRST = 0
    """First of the runs left to this worker."""
    LAST = 1
    """End of the runs left to this worker."""
    SAMPLES = 2
    """Number of controls."""
    SUBSTEPS = 3
    """Steps per control."""


class StepCall(IntEnum):
    """Places in ``RunArrays.step``."""

    FUNCTION = 0
    """Address of the function that makes steps."""
    FRAME = 1
    """Address of its arguments."""


class RowMemory(IntEnum):
    """Places in ``RunArrays.row``."""

    ADDRESS = 0
    """Address of the row."""
    WIDTH = 1
    """Length of the row."""
    STRIDE = 2
    """Bytes from a step's row to that of the next."""


class RunArrays(NamedTuple):
    """Arrays with which a worker advances its runs.

    Attributes:
        job: shape (4,), by ``JobEntry``.
        step: shape (2,), function and frame of the steps; steps: shape (1,), cell of their number.
        states: shape (n, size), every run's state.
        vector, grown: shapes (size,), the state of the worker's world; a run's state is both, one
            after the other; tick: shape (1,), its tick.
        entered: shape (1,), number of detected contacts whose coefficients the world knows.
        entry: shape (m,), places in the world of numbers that differ by run, counted from vector.
        value: shape (n, m), these numbers.
        torque: shape (nu,), torques given for the next steps.
        control: shape (n, knots nu), torques, one knot after another; (n, 0) if none are given.
        knot, weight: shape (T, w), knots between which each control interpolates, their weights.
        q, v: shapes (nq,) and (nv,), state of the worker's world.
        gain: shape (n or 1, T 2 nv nu), transposed feedback gains; (1, 0) without feedback.
        reference: shape (n or 1, T nx), states that feedback compares with.
        limit: shape (nu or 0,), greatest torques; dx: shape (2 nv,), scratch.
        applied: shape (n, T nu), torques of each control with feedback.
        cost: shape (n,), sums of the costs of controls.
        seen: shape (columns,), columns of a row that are returned; sensors: shape (n, T columns),
            their values after each control.
        place: shape (nx,), places of positions and velocities in a state; path: shape (n, T nx),
            their values after each control.
        row: shape (3,), cell of the row; rows: shape (n, width), last row of each run; base: shape
            (1,), address of rows.
        done: shape (n,), steps made in this call; failed: shape (n,), 1 for a run that has ended.
        measure: shape (pairs, 2), function and frame by ``StepCall`` of kernels that measure
            contact forces; measured: shape (pairs, 9), their results; force: shape (n, 9 pairs).
    """

    job: Ints1
    step: Ints1
    steps: Ints1
    states: Floats2
    vector: Floats1
    grown: Floats1
    entered: Ints1
    tick: Floats1
    entry: Ints1
    value: Floats2
    torque: Floats1
    control: Floats2
    knot: Ints2
    weight: Floats2
    q: Floats1
    v: Floats1
    gain: Floats2
    reference: Floats2
    limit: Floats1
    dx: Floats1
    applied: Floats2
    cost: Floats1
    seen: Ints1
    sensors: Floats2
    place: Ints1
    path: Floats2
    row: Ints1
    rows: Floats2
    base: Ints1
    done: Ints1
    failed: Ints1
    measure: Ints2
    measured: Floats2
    force: Floats2


runs = opener(RunArrays, FIRST + len(CostArrays.__annotations__))


@kernel
def load_run(table, i):
    """Load a run's state and numbers into the world."""
    b = runs(table)
    size = len(b.vector)
    for k in range(size):
        b.vector[k] = b.states[i, k]
    for k in range(len(b.grown)):
        b.grown[k] = b.states[i, size + k]
    b.entered[0] = -1
    for j in range(len(b.entry)):
        b.vector[b.entry[j]] = b.value[i, j]
    width = b.rows.shape[1]
    b.row[RowMemory.ADDRESS] = b.base[0] + 8 * width * i
    b.row[RowMemory.WIDTH], b.row[RowMemory.STRIDE] = width, 0


@kernel
def store_run(table, i):
    """Store a run's state; after the last step of a control also its path and sensors."""
    b = runs(table)
    size = len(b.vector)
    for k in range(size):
        b.states[i, k] = b.vector[k]
    for k in range(len(b.grown)):
        b.states[i, size + k] = b.grown[k]
    substeps = b.job[JobEntry.SUBSTEPS]
    if b.done[i] > 0 and b.done[i] % substeps == 0:
        t = b.done[i] // substeps - 1
        for k in range(len(b.place)):
            b.path[i, t * len(b.place) + k] = b.vector[b.place[k]]
        for k in range(len(b.seen)):
            b.sensors[i, t * len(b.seen) + k] = b.rows[i, b.seen[k]]


@inner
def measure_run(b, i):
    """Store the contact forces of a run's last step."""
    for p in range(len(b.measure)):
        call(b.measure[p, StepCall.FUNCTION], b.measure[p, StepCall.FRAME])
        for k in range(9):
            b.force[i, 9 * p + k] = b.measured[p, k]


@inner
def add_cost(table, b, c, topology, i):
    """Add the cost of a run's last control; evaluations for it do not change the next step."""
    t = b.done[i] // b.job[JobEntry.SUBSTEPS] - 1
    for k in range(len(c.row)):
        c.row[k] = b.rows[i, k]
    write_residuals(table, c, topology, t)
    add_norms(c, 0, b.cost, i)
    if t == b.job[JobEntry.SAMPLES] - 1:
        add_norms(c, 1, b.cost, i)


@kernel
def advance_runs(table):
    """Advance the runs that are left; return 0, or the code that stopped the first of them."""
    b, c, topology = runs(table), cost_of(table), open_topology(table)
    substeps = b.job[JobEntry.SUBSTEPS]
    total = b.job[JobEntry.SAMPLES] * substeps
    while b.job[JobEntry.FIRST] < b.job[JobEntry.LAST]:
        i = b.job[JobEntry.FIRST]
        if b.failed[i] == 0 and b.done[i] < total:
            load_run(table, i)
            while b.done[i] < total:
                if b.done[i] % substeps == 0:
                    command(b, topology, i, b.done[i] // substeps)
                b.steps[0] = substeps - b.done[i] % substeps
                before = b.tick[0]
                ended = call(b.step[StepCall.FUNCTION], b.step[StepCall.FRAME])
                b.done[i] += int(b.tick[0] - before)
                store_run(table, i)
                if ended != 0:
                    return ended
                if b.done[i] == total:
                    measure_run(b, i)
                if len(c.source) > 0:
                    add_cost(table, b, c, topology, i)
        b.job[JobEntry.FIRST] += 1
    return 0

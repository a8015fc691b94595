"""Collision groups one after another, each as a dense problem: the frame of a law's kernel."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from footfall.api.advanced import allocated, label_groups, symmetrise
from footfall.api.contact import (
    ContactProblem,
    ProblemReport,
    ProblemSize,
    problem_from_arrays,
)
from footfall.api.kernels import inner, opener, routine
from footfall.api.plugin import Floats1, Floats2, Ints1

POSITION_GAIN, POSITION_SLOP = 0.2, 1e-5
"""Part of the penetration removed in a step, [-]; penetration that is kept, [m]."""


class Progress(IntEnum):
    """Places in ``DenseGroups.progress``."""

    GROUP = 0
    """First block of the present group."""
    CORRECTING = 1
    """1 while split impulses are computed, else 0."""
    NEED = 2
    """Contacts of a group for which there is no room; 0: there is room."""


class DenseGroups(NamedTuple):
    """The collision groups of a problem of contacts, and the present one, of n contacts.

    Attributes:
        progress: shape (3,), by ``Progress``.
        tolerance: shape (1,), residual above which an answer counts as failed, [m/s].
        label: shape (blocks,), first block of each block's group.
        place: shape (blocks,), first row of each block in the present group; -1: not in it.
        target: shape (rows,), velocity without impulses, with the offset, [m/s].
        mu: shape (n,).
        b: shape (3 n,), velocity of the group's contacts without impulses, [m/s].
        r: shape (3 n,), start, then answer, [N s].
        W: shape (3 n, 3 n), Delassus matrix, exactly symmetric, [1/kg].
        factor: as W, scratch.
    """

    progress: Ints1
    tolerance: Floats1
    label: Ints1
    place: Ints1
    target: Floats1
    mu: Floats1
    b: Floats1
    r: Floats1
    W: Floats2
    factor: Floats2

    @classmethod
    def allocate(cls, problem: ContactProblem, contacts: int, tolerance: float) -> DenseGroups:
        """Allocate room for groups of up to this number of contacts."""
        n, arrays = 3 * contacts, problem.arrays
        blocks, rows = arrays.kind.size, arrays.impulse.size
        made = {"progress": len(Progress), "tolerance": np.array([tolerance]), "label": blocks}
        made |= {"place": blocks, "target": rows, "b": n, "r": n, "W": (n, n), "factor": (n, n)}
        return allocated(cls, contacts, **made)


open_groups = opener(DenseGroups, 0)


@inner
def is_finite(problem):
    """Return whether gaps, velocities, coefficients, the start and W are finite."""
    bad, n = 0, problem.size[ProblemSize.BLOCKS]
    for i in range(n):
        bad += 0 if abs(problem.gap[i] + problem.mu[i] + problem.restitution[i]) < np.inf else 1
    for a in range(problem.size[ProblemSize.ROWS]):
        total = problem.free_velocity[a] + problem.velocity[a] + problem.impulse[a]
        bad += 0 if abs(total) < np.inf else 1
    for p in range(problem.pair_start[n] if n > 0 else 0):
        for k in range(problem.pair_data[p], problem.pair_data[p] + 9):
            bad += 0 if abs(problem.W[k]) < np.inf else 1
    return bad == 0


@inner
def write_offset(problem, s):
    """Write offset and target: ``gap / dt`` of open points, ``e u_n-`` in an impact."""
    for a in range(problem.size[ProblemSize.ROWS]):
        problem.offset[a] = problem.correction[a] = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        last = problem.row[i] + 2
        if problem.size[ProblemSize.IMPULSIVE] == 1:
            problem.offset[last] = problem.restitution[i] * problem.velocity[last]
        else:
            problem.offset[last] = max(problem.gap[i], 0.0) / problem.dt[0]
    for a in range(problem.size[ProblemSize.ROWS]):
        s.target[a] = problem.free_velocity[a] + problem.offset[a]


@inner
def write_push(problem, s):
    """Write the target of the split impulses, see ``ContactProblem.push_out``.

    Return whether a point is to be pushed out.
    """
    slop, deep = POSITION_SLOP * problem.metre[0], False
    for i in range(problem.size[ProblemSize.BLOCKS]):
        gap, at = problem.gap[i], problem.row[i]
        deep = deep or gap < -slop
        s.target[at] = s.target[at + 1] = 0.0
        push = POSITION_GAIN * (gap + slop) if gap < -slop else max(gap, 0.0)
        s.target[at + 2] = push / problem.dt[0]
    return deep and problem.size[ProblemSize.IMPULSIVE] == 0


@inner
def write_matrix(problem, s, n):
    """Write the Delassus matrix of the present group, shape (n, n)."""
    for a in range(n):
        for b in range(n):
            s.W[a, b] = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            at, column = problem.pair_data[p], s.place[problem.pair_block[p]]
            for a in range(3 if s.place[i] >= 0 else 0):
                for b in range(3):
                    s.W[s.place[i] + a, column + b] = problem.W[at + 3 * a + b]


@routine
def take_group(table, s, first):
    """Write the first group from a block on; return its contacts.

    0 if there is none; -1 if its matrix is unsound.
    """
    problem, contacts = problem_from_arrays(table), 0
    blocks, correcting = problem.size[ProblemSize.BLOCKS], s.progress[Progress.CORRECTING] == 1
    while first < blocks and s.label[first] != first:
        first += 1
    s.progress[Progress.GROUP] = first
    for i in range(blocks):
        s.place[i] = -1
        if s.label[i] == first:
            s.place[i], s.mu[contacts] = 3 * contacts, problem.mu[i]
            for a in range(3):
                k, row = 3 * contacts + a, problem.row[i] + a
                s.b[k], s.r[k] = s.target[row], 0.0 if correcting else problem.impulse[row]
            contacts += 1
    write_matrix(problem, s, 3 * contacts)
    return contacts if symmetrise(s.W, s.factor, 3 * contacts) else -1


@routine
def first_group(table, s):
    """Begin a step or an impact: write offset, report and the first group; return its contacts.

    0 if there is none; -1 if Python must look: the problem is not finite or sound, or a group has
    no room.
    """
    problem = problem_from_arrays(table)
    for k in range(len(problem.report)):
        problem.report[k] = 0.0
    for k in range(len(s.progress)):
        s.progress[k] = 0
    if not is_finite(problem):
        return -1
    label_groups(problem, s.label)
    most, blocks = 0, problem.size[ProblemSize.BLOCKS]
    for i in range(blocks):
        s.place[i] = 0
    for i in range(blocks):
        s.place[s.label[i]] += 1
        most = max(most, s.place[s.label[i]])
    if most > len(s.mu):
        s.progress[Progress.NEED] = most
        return -1
    write_offset(problem, s)
    return take_group(table, s, 0)


@inner
def write_answer(problem, s, out):
    """Write r of the present group; return the sum of its sizes, [N s]."""
    total = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if s.place[i] >= 0:
            for a in range(3):
                out[problem.row[i] + a] = s.r[s.place[i] + a]
                total += abs(s.r[s.place[i] + a])
    return total


@routine
def next_group(table, s, iterations, residual):
    """Write the answer of a group, and then the next group; return its contacts.

    After the last one come the split impulses, in the same order. 0 if all is done; -1 if an answer
    is not finite.
    """
    problem, after = problem_from_arrays(table), s.progress[Progress.GROUP] + 1
    report = problem.report
    if s.progress[Progress.CORRECTING] == 0:
        total = write_answer(problem, s, problem.impulse)
        report[ProblemReport.ITERATIONS] += iterations
        report[ProblemReport.RESIDUAL] = max(report[ProblemReport.RESIDUAL], residual)
        failed = report[ProblemReport.RESIDUAL] > s.tolerance[0]
        report[ProblemReport.FAILED] = 1.0 if failed else 0.0
    else:
        total = write_answer(problem, s, problem.correction)
        if total > 0.0:
            report[ProblemReport.CORRECTS] = 1.0
    if not total < np.inf:
        return -1
    contacts = take_group(table, s, after)
    if contacts == 0 and s.progress[Progress.CORRECTING] == 0 and write_push(problem, s):
        s.progress[Progress.CORRECTING] = 1
        contacts = take_group(table, s, 0)
    return contacts

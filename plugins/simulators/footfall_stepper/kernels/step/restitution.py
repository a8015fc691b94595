"""Restitution in a law's impacts, cut where it would add energy.

With ``u- = J v-`` and ``u+ = W r + u-`` an impact adds ``E = r'u- + r'Wr / 2 = r'u+ - r'Wr / 2``.
Without restitution ``r_n u_n+ = 0`` and ``r_t'u_t+ <= 0``: then ``E <= -r'Wr / 2``. So the largest
s <= 1 exists with which all coefficients of a group of linked contacts add no energy.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.jit.tables import Table, allocated, opener, table_of
from footfall.problem.arrays import (
    BlockKind,
    ProblemArrays,
    ProblemReport,
    ProblemSize,
    problem_from_arrays,
)
from footfall.problem.blocks import label_groups
from footfall.problem.residuals import target_velocity
from footfall.typing import Floats1, Floats2, Ints1

ROUNDING = 1e-13
"""Gain, E over ``r'Wr / 2`` (at most four times the kinetic energy), left as it is."""
CONSERVED = 1e-9
"""Gain, likewise, due to the tolerance of the law: the impulse is reduced by this part."""
WASTED = 1e-4
"""Loss, likewise, and width of the interval of s, at which the search ends."""
INTO = 1e-3
"""Speed below the required one, over the group's largest, at which a failed answer is none."""
MOST = 16
"""Most answers of the law to one impact."""


class Group(IntEnum):
    """Places in a row of ``Search.group``."""

    ENERGY = 0
    """E of the present answer, [J]."""
    ALONE = 1
    """``r'Wr / 2`` of the present answer, [J]."""
    PART = 2
    """The s of the present answer."""
    LOW = 3
    """Largest s known to add no energy; -1: none."""
    HIGH = 4
    """Smallest s known to add energy or to have no answer; LOW when the search has ended."""
    LOSS = 5
    """-E at LOW, [J]; in the search maybe a part of it, as GAIN."""
    GAIN = 6
    """E at HIGH, [J]; -1: no answer there."""
    FAILED = 7
    """1 if the answer at LOW is not a solution, else 0."""
    FASTEST = 8
    """Largest normal speed before the impact, [m/s]."""
    SLOWEST = 9
    """Least normal velocity after it, less the required one, [m/s]."""
    MOVED = 10
    """LOW or HIGH, which moved last; 0: begun."""


class Search(NamedTuple):
    """Work space of the search for s.

    Attributes:
        tries: shape (2,), answers so far, and their iterations.
        label: shape (blocks,), first block of each block's group.
        e: shape (blocks,), coefficients of restitution of the pairs.
        group: shape (blocks, 11), at the first block of each group, indexed by ``Group``.
        target: shape (rows,), velocity after the impact, [m/s].
        kept: shape (2, rows), impulse [N s] and offset [m/s] at LOW.
    """

    tries: Floats1
    label: Ints1
    e: Floats1
    group: Floats2
    target: Floats1
    kept: Floats2


open_search = opener(Search, 0)


def search_table(problem: ProblemArrays) -> Table:
    """Allocate the work space for a world's problems; return its table."""
    blocks, rows = problem.kind.size, problem.impulse.size
    of_blocks = {"label": blocks, "e": blocks, "group": (blocks, len(Group))}
    return table_of(allocated(Search, rows, tries=2, kept=(2, rows), **of_blocks))


@inner
def begin(problem, s):
    """Start the search with the law's own answer, s = 1."""
    label_groups(problem, s.label)
    s.tries[1] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        g = s.group[s.label[b]]
        if s.label[b] == b:
            g[Group.PART] = g[Group.HIGH] = g[Group.GAIN] = 0.0
            g[Group.LOW] = -1.0
        s.e[b] = problem.restitution[b]
        if s.e[b] > 0.0:
            g[Group.PART] = g[Group.HIGH] = 1.0


@inner
def measure(problem, s):
    """Find energy and speeds of each group."""
    target_velocity(problem, problem.impulse, s.target)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        s.group[b, Group.ENERGY] = s.group[b, Group.ALONE] = 0.0
        s.group[b, Group.FASTEST] = s.group[b, Group.SLOWEST] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        g, last = s.group[s.label[b]], problem.row[b + 1] - 1
        for k in range(problem.row[b], last + 1):
            r, alone = problem.impulse[k], 0.5 * (s.target[k] - problem.free_velocity[k])
            g[Group.ENERGY] += r * (problem.velocity[k] + alone)
            g[Group.ALONE] += r * alone
        if problem.kind[b] == BlockKind.CONE:
            g[Group.FASTEST] = max(g[Group.FASTEST], abs(problem.velocity[last]))
            g[Group.SLOWEST] = min(g[Group.SLOWEST], s.target[last] + problem.offset[last])


@inner
def keep(problem, s, g, gain):
    """Keep the answer of a group; a gain is taken off: ``E(t r)`` is 0 at ``t = 1 - gain``."""
    t = max(1.0 - gain, 0.0) if gain > ROUNDING else 1.0
    for b in range(g, problem.size[ProblemSize.BLOCKS]):
        if s.label[b] == g:
            for k in range(problem.row[b], problem.row[b + 1]):
                s.kept[0, k], s.kept[1, k] = t * problem.impulse[k], problem.offset[k]


@inner
def judge_group(problem, s, g):
    """Judge the present answer of a group; return whether another s is to be tried.

    After s = 1 and 0 the next s is the root of the chord between LOW and HIGH; if one end moves
    twice in a row, the energy at the other one is halved (Illinois method).
    """
    group, failed = s.group[g], problem.report[ProblemReport.FAILED]
    part, energy, alone = group[Group.PART], group[Group.ENERGY], group[Group.ALONE]
    gain = energy / alone if alone > 0.0 else 0.0
    answers = failed == 0.0 or -group[Group.SLOWEST] <= INTO * group[Group.FASTEST]
    if part == 0.0 or (answers and gain <= CONSERVED):
        keep(problem, s, g, gain)
        if group[Group.MOVED] == Group.LOW:
            group[Group.GAIN] *= 0.5
        group[Group.LOW], group[Group.LOSS], group[Group.FAILED] = part, max(-energy, 0.0), failed
        group[Group.MOVED] = Group.LOW if part > 0.0 else 0.0
        enough = energy >= -WASTED * alone
    else:
        if group[Group.MOVED] == Group.HIGH:
            group[Group.LOSS] *= 0.5
        group[Group.HIGH], group[Group.GAIN] = part, energy if answers else -1.0
        group[Group.MOVED] = Group.HIGH if part < 1.0 else 0.0
        enough = False
    low, width = group[Group.LOW], group[Group.HIGH] - group[Group.LOW]
    if low < 0.0:
        group[Group.PART] = 0.0
        return True
    if enough or width <= WASTED or s.tries[0] >= MOST or group[Group.GAIN] < 0.0:
        group[Group.HIGH] = group[Group.PART] = low
        return False
    loss = group[Group.LOSS]
    group[Group.PART] = low + width * loss / (loss + group[Group.GAIN])
    return True


@inner
def end(problem, s):
    """Write the kept answer of all groups, and the report."""
    cut = failed = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        g = s.group[s.label[b]]
        problem.restitution[b], failed = s.e[b], max(failed, g[Group.FAILED])
        if s.e[b] > 0.0 and g[Group.LOW] < 1.0:
            cut = 1.0
    for k in range(problem.size[ProblemSize.ROWS]):
        problem.impulse[k], problem.offset[k] = s.kept[0, k], s.kept[1, k]
    problem.report[ProblemReport.ITERATIONS] = s.tries[1]
    problem.report[ProblemReport.CORRECTS], problem.report[ProblemReport.FAILED] = cut, failed
    s.tries[0] = 0.0


@kernel
def cut_restitution(table, space):
    """Judge the law's answer to an impact; return 1 if it is to solve the problem again.

    The problem then has other coefficients of restitution; at the end again those of the pairs.
    """
    problem, s = problem_from_arrays(table), open_search(space)
    if s.tries[0] == 0.0:
        begin(problem, s)
    s.tries[0] += 1.0
    s.tries[1] += problem.report[ProblemReport.ITERATIONS]
    measure(problem, s)
    again = 0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        open_group = s.label[b] == b and s.group[b, Group.LOW] < s.group[b, Group.HIGH]
        if open_group and judge_group(problem, s, b):
            again = 1
    if again == 0:
        end(problem, s)
        return 0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        problem.restitution[b] = s.e[b] * s.group[s.label[b], Group.PART]
    return 1

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
from footfall.problem.arrays import ProblemArrays, ProblemReport, ProblemSize, problem_from_arrays
from footfall.problem.blocks import label_groups
from footfall.problem.residuals import target_velocity
from footfall.typing import Floats1, Floats2, Ints1

ROUNDING = 1e-13
"""Gain, E over ``r'Wr / 2`` (at most four times the kinetic energy), left as it is."""
CONSERVED = 1e-9
"""Gain, likewise, due to the tolerance of the law: the impulse is reduced by this part."""
WASTED = 1e-4
"""Loss, likewise, and width of the interval of s, at which the search ends."""
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
    """-E at LOW, [J]."""
    GAIN = 6
    """E at HIGH, [J]; 0: the interval is to be halved."""
    FAILED = 7
    """1 if the answer at LOW is not a solution, else 0."""


class Search(NamedTuple):
    """Work space of the search for s.

    Attributes:
        count: shape (2,), answers so far, and their iterations.
        label: shape (blocks,), first block of each block's group.
        e: shape (blocks,), coefficients of restitution of the pairs.
        group: shape (blocks, 8), at the first block of each group, indexed by ``Group``.
        target: shape (rows,), velocity after the impact, [m/s].
        kept: shape (2, rows), impulse [N s] and offset [m/s] at LOW.
    """

    count: Floats1
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
    return table_of(allocated(Search, rows, count=2, kept=(2, rows), **of_blocks))


@inner
def begin(problem, s):
    """Start the search with the law's own answer, s = 1."""
    label_groups(problem, s.label)
    s.count[1] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        s.e[b], s.group[b, Group.FAILED] = problem.restitution[b], 0.0
        s.group[b, Group.PART] = s.group[b, Group.HIGH] = 1.0
        s.group[b, Group.LOW], s.group[b, Group.LOSS], s.group[b, Group.GAIN] = -1.0, 0.0, 0.0


@inner
def measure(problem, s):
    """Find the energy of each group."""
    target_velocity(problem, problem.impulse, s.target)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        s.group[b, Group.ENERGY] = s.group[b, Group.ALONE] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        g = s.label[b]
        for k in range(problem.row[b], problem.row[b + 1]):
            r, alone = problem.impulse[k], 0.5 * (s.target[k] - problem.free_velocity[k])
            s.group[g, Group.ENERGY] += r * (problem.velocity[k] + alone)
            s.group[g, Group.ALONE] += r * alone


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

    E is a convex parabola in s as long as no contact changes its mode: the chord's root adds none.
    """
    group, failed = s.group[g], problem.report[ProblemReport.FAILED]
    part, energy, alone = group[Group.PART], group[Group.ENERGY], group[Group.ALONE]
    gain = energy / alone if alone > 0.0 else 0.0
    sound = failed == 0.0 or s.count[0] == 1.0
    if part == 0.0 or (sound and gain <= CONSERVED):
        keep(problem, s, g, gain)
        if group[Group.LOW] > 0.0:
            group[Group.GAIN] *= 0.5  # the same end moves again (Illinois method)
        group[Group.LOW], group[Group.LOSS], group[Group.FAILED] = part, max(-energy, 0.0), failed
    else:
        group[Group.HIGH] = part
        group[Group.GAIN] = energy if sound and group[Group.LOW] <= 0.0 else 0.0
    low, high, loss = group[Group.LOW], group[Group.HIGH], group[Group.LOSS]
    if low < 0.0:
        group[Group.PART] = 0.0
    elif loss <= WASTED * alone or high - low <= WASTED or s.count[0] >= MOST:
        group[Group.PART] = group[Group.HIGH] = low
        return False
    else:
        way = loss / (loss + group[Group.GAIN]) if group[Group.GAIN] > 0.0 else 0.5
        group[Group.PART] = low + way * (high - low)
    return True


@inner
def end(problem, s):
    """Write the kept answer of all groups, and the report."""
    cut = failed = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        problem.restitution[b] = s.e[b]
        if s.label[b] == b:
            cut = 1.0 if s.group[b, Group.LOW] < 1.0 else cut
            failed = max(failed, s.group[b, Group.FAILED])
    for k in range(problem.size[ProblemSize.ROWS]):
        problem.impulse[k], problem.offset[k] = s.kept[0, k], s.kept[1, k]
    problem.report[ProblemReport.ITERATIONS] = s.count[1]
    problem.report[ProblemReport.CORRECTS], problem.report[ProblemReport.FAILED] = cut, failed
    s.count[0] = 0.0


@kernel
def cut_restitution(table, space):
    """Judge the law's answer to an impact; return 1 if it is to solve the problem again.

    The problem then has other coefficients of restitution; at the end again those of the pairs.
    """
    problem, s = problem_from_arrays(table), open_search(space)
    if s.count[0] == 0.0:
        begin(problem, s)
    s.count[0] += 1.0
    s.count[1] += problem.report[ProblemReport.ITERATIONS]
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

"""Restitution in impacts, cut where it would add energy.

With ``u- = J v-`` and ``u+ = W r + u-`` an impact adds ``E = r'u- + r'Wr / 2 = r'u+ - r'Wr / 2``.
Without restitution ``r_n u_n+ = 0`` and ``r_t'u_t+ <= 0``: then ``E <= -r'Wr / 2``. So the largest
s <= 1 exists with which all coefficients of a group of linked contacts add no energy.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.jit.tables import Table, allocated, opener, table_of
from footfall.problem import arrays
from footfall.problem.arrays import BlockKind, ProblemReport, ProblemSize, problem_from_arrays
from footfall.problem.blocks import label_groups
from footfall.problem.residuals import largest_diagonal, target_velocity
from footfall.typing import Floats1, Ints1

EPS, UNKNOWN = 2e-16, 1e-14
"""Error of W, relative to the roots of its diagonal's products; used if the law has failed."""
ROUNDING = 1e-13
"""Gain, E over ``r'Wr / 2`` (at most four times the kinetic energy), left as it is."""
CONSERVED = 1e-9
"""Gain, likewise, due to the tolerance of the law: the impulse is reduced by this part."""
WASTED = 1e-4
"""Loss, likewise, and width of the interval of s, at which the search ends."""
SHORT = 1e-3
"""Speed missing to the required one, over the group's largest, by which a failed answer is none."""
MOST = 16
"""Most answers of the law to one impact."""


class Search(NamedTuple):
    """Work space of the search for s; of a group at its first block.

    Attributes:
        tries: shape (2,), answers so far, and their iterations.
        label: shape (blocks,), first block of each block's group.
        e: shape (blocks,), coefficients of restitution of the pairs.
        part: shape (blocks,), the s of the present answer.
        low: shape (blocks,), largest s known to add no energy; -1: none.
        high: shape (blocks,), smallest s known to add energy or to have no answer; ``low`` at the
            end of the search.
        energy, alone: shape (blocks,), E and ``r'Wr / 2`` of the present answer, [J].
        fastest, short: shape (blocks,), largest normal speed before the impact, and speed missing
            to the required one after it, [m/s].
        rounding: shape (blocks,), sum of impulses times roots of W's diagonal, [J^1/2].
        loss, gain: shape (blocks,), -E at ``low`` and E at ``high`` or a part of it, [J]; a gain of
            -1: no answer there.
        failed: shape (blocks,), 1 if the answer at ``low`` is not a solution, else 0.
        target: shape (rows,), velocity after the impact, [m/s].
        impulse, offset: shape (rows,), the answer at ``low``, [N s] and [m/s].
    """

    tries: Floats1
    label: Ints1
    e: Floats1
    part: Floats1
    low: Floats1
    high: Floats1
    energy: Floats1
    alone: Floats1
    fastest: Floats1
    short: Floats1
    rounding: Floats1
    loss: Floats1
    gain: Floats1
    failed: Floats1
    target: Floats1
    impulse: Floats1
    offset: Floats1


open_search = opener(Search, 0)


def search_table(problem: arrays.ProblemArrays) -> Table:
    """Allocate the work space for a world's problems; return its table."""
    rows = dict.fromkeys(("target", "impulse", "offset"), problem.impulse.size)
    return table_of(allocated(Search, problem.kind.size, tries=2, **rows))


@inner
def begin(problem, s):
    """Start the search with the law's own answer, s = 1; without restitution with s = 0."""
    label_groups(problem, s.label)
    s.tries[1] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        s.e[b], s.low[b] = problem.restitution[b], -1.0
        s.part[b] = s.high[b] = 0.0
        if s.e[b] > 0.0:
            s.part[s.label[b]] = s.high[s.label[b]] = 1.0


@inner
def measure(problem, s):
    """Find energy and speeds of each group."""
    target_velocity(problem, problem.impulse, s.target)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        s.energy[b] = s.alone[b] = s.rounding[b] = s.fastest[b] = s.short[b] = 0.0
        g, last, w = s.label[b], problem.row[b + 1] - 1, math.sqrt(largest_diagonal(problem, b))
        for k in range(problem.row[b], last + 1):
            r, alone = problem.impulse[k], 0.5 * (s.target[k] - problem.free_velocity[k])
            s.energy[g] += r * (problem.velocity[k] + alone)
            s.alone[g] += r * alone
            s.rounding[g] += w * abs(r)
        if problem.kind[b] == BlockKind.CONE:
            s.fastest[g] = max(s.fastest[g], abs(problem.velocity[last]))
            s.short[g] = max(s.short[g], -s.target[last] - problem.offset[last])


@inner
def keep(problem, s, g, gain):
    """Keep the answer of a group without its gain: ``E(t r)`` is 0 at ``t = 1 - gain``.

    If the law has failed, t is half of that, which takes most energy.
    """
    t = max(1.0 - gain, 0.0) if gain > ROUNDING else 1.0
    if t < 1.0 and problem.report[ProblemReport.FAILED] != 0.0:
        t *= 0.5
    for b in range(g, problem.size[ProblemSize.BLOCKS]):
        if s.label[b] == g:
            for k in range(problem.row[b], problem.row[b + 1]):
                s.impulse[k], s.offset[k] = t * problem.impulse[k], problem.offset[k]


@inner
def judge_group(problem, s, g):
    """Judge the present answer of a group; return whether another s is to be tried.

    After s = 1 and 0 the next s is the root of the chord between both ends of the interval. As E is
    convex as long as no contact changes its mode, the lower end moves; each time the energy at the
    upper one is halved (Illinois method).
    """
    part, failed, gain = s.part[g], problem.report[ProblemReport.FAILED], 0.0
    error = (EPS if failed == 0.0 else UNKNOWN) * s.rounding[g] ** 2
    s.energy[g] += error  # impulses that press against each other may be large
    s.alone[g] += error
    if s.alone[g] > 0.0:
        gain = s.energy[g] / s.alone[g]
    is_answer = failed == 0.0 or s.short[g] <= SHORT * s.fastest[g]
    if part == 0.0 or (is_answer and gain <= CONSERVED):
        keep(problem, s, g, gain)
        if s.low[g] > 0.0:
            s.gain[g] *= 0.5
        s.low[g], s.loss[g], s.failed[g] = part, max(-s.energy[g], 0.0), failed
    else:
        s.high[g], s.gain[g] = part, s.energy[g] if is_answer else -1.0
    low, width = s.low[g], s.high[g] - s.low[g]
    s.part[g] = max(low, 0.0)
    if low < 0.0:
        return True
    over = width <= WASTED or s.gain[g] < 0.0 or s.tries[0] >= MOST
    if over or (part == low and gain >= -WASTED):
        s.high[g] = low
        return False
    s.part[g] += width * s.loss[g] / (s.loss[g] + s.gain[g])
    return True


@inner
def end(problem, s):
    """Write the kept answer of all groups, and the report."""
    cut = failed = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        problem.restitution[b], failed = s.e[b], max(failed, s.failed[s.label[b]])
        if s.e[b] > 0.0 and s.low[s.label[b]] < 1.0:
            cut = 1.0
    for k in range(problem.size[ProblemSize.ROWS]):
        problem.impulse[k], problem.offset[k] = s.impulse[k], s.offset[k]
    problem.report[ProblemReport.ITERATIONS] = s.tries[1]
    problem.report[ProblemReport.CORRECTS], problem.report[ProblemReport.FAILED] = cut, failed
    s.tries[0] = 0.0


@kernel
def cut_restitution(table, space):
    """Judge the law's answer to an impact; return 1 if it is to solve the problem again.

    The problem then has other coefficients of restitution; at the end again those of the pairs.
    """
    problem, s, again = problem_from_arrays(table), open_search(space), 0
    if s.tries[0] == 0.0:
        begin(problem, s)
    s.tries[0] += 1.0
    s.tries[1] += problem.report[ProblemReport.ITERATIONS]
    measure(problem, s)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if s.label[b] == b and s.low[b] < s.high[b] and judge_group(problem, s, b):
            again = 1
    for b in range(problem.size[ProblemSize.BLOCKS]):
        problem.restitution[b] = s.e[b] * s.part[s.label[b]]
    if again == 0:
        end(problem, s)
    return again

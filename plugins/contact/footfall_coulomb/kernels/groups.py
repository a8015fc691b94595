"""A collision group copied into a separate problem, for when sweeps over the whole are slow.

Solved groups stay as they are. Each unsolved group has its own sweeps and Newton steps, and its
data are close together in memory. Only the arrays that sweeps and Newton steps read are copied.
"""

from __future__ import annotations

import math

from footfall.api.advanced import label_groups
from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.sweep import block_error, error_by_velocity

EDGE = 1.0 - 1e-6
"""Part of a cone's radius from which an impulse counts as on its edge."""


@inner
def block_slips(problem, r, i):
    """Return whether a block is a contact with its impulse on the edge of its cone."""
    if problem.kind[i] != BlockKind.CONE:
        return False
    at = problem.row[i]
    limit = EDGE * problem.mu[i] * r[at + 2]
    return limit > 0.0 and r[at] * r[at] + r[at + 1] * r[at + 1] >= limit * limit


@inner
def slips(problem, r):
    """Return whether a contact may slip while others carry."""
    slipping, carrying = False, 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] == BlockKind.CONE:
            slipping = slipping or block_slips(problem, r, i)
            carrying += 1 if r[problem.row[i] + 2] > 0.0 else 0
    return slipping and carrying > 1


@inner
def is_one_group(problem):
    """Return whether the first block is linked with every other one: then there is one group."""
    return problem.pair_start[1] == problem.size[ProblemSize.BLOCKS]


@routine
def mark_unsolved(problem, free, offset, r, again, groups, velocity):
    """Write the blocks' groups and the groups' residuals; return the number of groups.

    ``groups.label`` is the first block of each block's group. ``groups.error`` of that first block
    is the natural-map residual of the group, [m/s]; NaN if one of its blocks has NaN. With
    ``again`` it is infinite if a contact slips while others carry: the load is then to be shared
    as the canonical answer does, since it decides the motion. Where the matrix is pending,
    ``velocity`` is ``W r + free``.
    """
    n, label, error, count = problem.size[ProblemSize.BLOCKS], groups.label, groups.error, 0
    label_groups(problem, label)
    for i in range(n):
        error[i], groups.place[i] = 0.0, 0
    for i in range(n):
        count += 1 if label[i] == i else 0
        if problem.pending[0] == 1:
            found = error_by_velocity(problem, offset, r, velocity, i)
        else:
            found = block_error(problem, free, offset, r, i)
        if found > error[label[i]] or found != found:
            error[label[i]] = found
        if again and problem.kind[i] == BlockKind.CONE and r[problem.row[i] + 2] > 0.0:
            groups.place[label[i]] += 1
    if again:
        for i in range(n):
            if groups.place[label[i]] > 1 and block_slips(problem, r, i):
                error[label[i]] = math.inf
    return count


@inner
def take_block(problem, free, offset, r, kept, i, k, groups, part):
    """Copy block i to block k of the part, without its pairs."""
    at, to = problem.row[i], part.row[k]
    rows = problem.row[i + 1] - at
    part.kind[k], part.mu[k] = problem.kind[i], problem.mu[i]
    part.lower[k], part.upper[k] = problem.lower[i], problem.upper[i]
    part.row[k + 1] = to + rows
    for a in range(rows):
        part.free_velocity[to + a], part.offset[to + a] = free[at + a], offset[at + a]
        part.impulse[to + a], groups.kept[to + a] = r[at + a], kept[at + a]


@inner
def take_pairs(problem, i, k, groups, part):
    """Copy the Delassus matrix row of block i to that of block k: what is written of it."""
    p = part.pair_start[k]
    at = 0
    if p > 0:
        j = part.pair_block[p - 1]
        last = part.row[k] - part.row[k - 1]
        at = part.pair_data[p - 1] + last * (part.row[j + 1] - part.row[j])
    rows = part.row[k + 1] - part.row[k]
    for s in range(problem.pair_start[i], problem.pair_start[i + 1]):
        if problem.pending[0] == 1 and problem.pair_block[s] != i:
            continue
        j = groups.place[problem.pair_block[s]]
        entries = rows * (part.row[j + 1] - part.row[j])
        part.pair_block[p], part.pair_data[p] = j, at
        begin = problem.pair_data[s]
        for e in range(entries):
            part.W[at + e] = problem.W[begin + e]
        at += entries
        p += 1
    part.pair_start[k + 1] = p


@inner
def is_small(problem, group, groups, part):
    """Return whether there is room for a group."""
    blocks, rows, pairs, entries = 0, 0, 0, 0
    for i in range(group, problem.size[ProblemSize.BLOCKS]):
        if groups.label[i] == group:
            height = problem.row[i + 1] - problem.row[i]
            blocks, rows = blocks + 1, rows + height
            pairs += problem.pair_start[i + 1] - problem.pair_start[i]
            for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
                j = problem.pair_block[p]
                entries += height * (problem.row[j + 1] - problem.row[j])
    small = blocks <= len(part.kind) and rows <= len(part.impulse)
    return small and pairs <= len(part.pair_block) and entries <= len(part.W)


@routine
def take_out(problem, free, offset, r, kept, group, groups, part, given, own):
    """Write the group with this label to the problem ``part`` and its factor ``own``.

    Return False if there is no room for it.
    """
    if not is_small(problem, group, groups, part):
        return False
    count, factored = 0, len(given.Z) > 0
    part.row[0], part.pair_start[0] = 0, 0
    for i in range(group, problem.size[ProblemSize.BLOCKS]):
        if groups.label[i] == group:
            take_block(problem, free, offset, r, kept, i, count, groups, part)
            groups.place[i], groups.block[count] = count, i
            if factored:
                for side in range(2):
                    own.link[count, side] = given.link[i, side]
                    own.start[count, side] = given.start[i, side]
            count += 1
    for k in range(count):
        take_pairs(problem, groups.block[k], k, groups, part)
    part.size[ProblemSize.BLOCKS], part.size[ProblemSize.ROWS] = count, part.row[count]
    part.pending[0] = problem.pending[0]
    return True


@routine
def put_back(problem, r, kept, groups, part):
    """Write the part's impulse, and its best known one, to the whole."""
    for k in range(part.size[ProblemSize.BLOCKS]):
        at, first = problem.row[groups.block[k]], part.row[k]
        for a in range(part.row[k + 1] - first):
            r[at + a], kept[at + a] = part.impulse[first + a], groups.kept[first + a]

"""Kernels from the contact problem to the arrays of the QPs, one per collision group, and back."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.advanced import Cones, canonical, symmetrise
from footfall.api.contact import BlockKind, ProblemSize, problem_from_arrays
from footfall.api.kernels import Table, inner, kernel, opener
from footfall.api.plugin import Floats, Floats1, Floats2, Ints1

NOT_FINITE, NOT_TAKEN = -1, -2
"""Return values of ``group_contacts`` for a gap that is NaN, and for other kinds of block."""
ACCURACY = 1e-9
"""Natural map of the answer of least norm, relative to the largest entry of g, [-]."""


class Grouping(NamedTuple):
    """The collision groups of a problem.

    Attributes:
        group: shape (blocks,), the group of each block; -1: takes no part.
        order: shape (blocks,), blocks by group, contacts before loops.
        start: shape (blocks + 1,), start of each group in ``order``.
        cones: shape (blocks,), number of contacts of each group.
        at: shape (blocks,), first row of each block in the matrix of its group.
    """

    group: Ints1
    order: Ints1
    start: Ints1
    cones: Ints1
    at: Ints1


class GroupArrays(NamedTuple):
    """Arrays of the QP of a group of n contacts with pyramids of s sides and r rows of loops.

    Attributes:
        W: shape (3 n + r, 3 n + r), Delassus matrix with the loops.
        factor: as W, scratch for the factorisation that proves W semidefinite.
        g: shape (3 n + r,), gradient with the loops.
        C: shape (s n, 3 n), pyramids.
        x, z: shapes (3 n,) and (s n,), warm start.
        mu: shape (n,).
        directions: shape (s, 2), normals of a pyramid's sides.
    """

    W: Floats2
    factor: Floats2
    g: Floats1
    C: Floats2
    x: Floats1
    z: Floats1
    mu: Floats1
    directions: Floats2


open_cones, open_groups, open_group = (opener(t, 0) for t in (Cones, Grouping, GroupArrays))


@kernel
def group_contacts(
    table: Table, groups_table: Table, answer: Floats, touch: float, horizon: float
) -> int:
    """Find the collision groups; return their number, or ``NOT_FINITE`` or ``NOT_TAKEN``.

    A group holds the blocks that take part and are linked through moving bodies. A contact with a
    gap above ``touch`` that does not reach the ground within ``horizon`` [s] takes no part, and its
    answer becomes zero.
    """
    found = open_groups(groups_table)
    group, order, start, cones = found.group, found.order, found.start, found.cones
    problem = problem_from_arrays(table)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        group[b] = -2
        if problem.kind[b] == BlockKind.EQUALITY:
            continue
        if problem.kind[b] != BlockKind.CONE:
            return NOT_TAKEN
        gap, at = problem.gap[b], problem.row[b]
        if math.isnan(gap):
            return NOT_FINITE
        falls = gap + horizon * problem.free_velocity[at + 2] <= 0.0
        if gap > touch and not falls and problem.size[ProblemSize.IMPULSIVE] == 0:
            group[b] = -1
            for a in range(3):
                answer[at + a] = 0.0
    groups, end = 0, 0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if group[b] == -2:
            start[groups] = end
            end = flood(problem, b, groups, group, order, end)
            cones[groups] = contacts_first(problem, order, start[groups], end)
            groups += 1
    start[groups] = end
    return groups


@inner
def flood(problem, first, number, group, order, end):
    """Append all blocks linked with the first one to ``order``, breadth first; return its end."""
    order[end], group[first] = first, number
    next_one, end = end, end + 1
    while next_one < end:
        b = order[next_one]
        for p in range(problem.pair_start[b], problem.pair_start[b + 1]):
            j = problem.pair_block[p]
            if group[j] == -2:
                order[end], group[j] = j, number
                end += 1
        next_one += 1
    return end


@inner
def contacts_first(problem, order, start, end):
    """Move the loops of a group behind its contacts, in order; return the number of contacts."""
    n = 0
    for p in range(start, end):
        b = order[p]
        if problem.kind[b] == BlockKind.CONE:
            for k in range(p, start + n, -1):
                order[k] = order[k - 1]
            order[start + n] = b
            n += 1
    return n


@inner
def fill_matrix(problem, found, k, W):
    """Write the Delassus matrix of group k."""
    for a in range(len(W)):
        for b in range(len(W)):
            W[a, b] = 0.0
    for i in range(found.start[k], found.start[k + 1]):
        b = found.order[i]
        rows, at = problem.row[b + 1] - problem.row[b], found.at[b]
        for p in range(problem.pair_start[b], problem.pair_start[b + 1]):
            j, w = problem.pair_block[p], problem.pair_data[p]
            if found.group[j] == k:
                columns = problem.row[j + 1] - problem.row[j]
                for r in range(rows):
                    for c in range(columns):
                        W[at + r, found.at[j] + c] = problem.W[w + columns * r + c]


@inner
def fill_pyramid(i, mu, directions, C):
    """Write the rows of contact i: ``d_k . f_t - mu f_n <= 0``, which imply ``f_n >= 0``.

    Without friction they do not imply it: then three rows hold the tangents at zero (a triangle of
    size zero) and the other rows are ``f_n >= 0``.
    """
    sides = len(directions)
    for k in range(sides):
        row = sides * i + k
        for a in range(2):
            C[row, 3 * i + a] = directions[k, a]
        C[row, 3 * i + 2] = -mu
    if mu == 0.0:
        for k in range(sides):
            row = sides * i + k
            C[row, 3 * i] = 1.0 if k == 0 else (-0.5 if k < 3 else 0.0)
            C[row, 3 * i + 1] = 0.0 if k == 0 or k > 2 else (1.0 if k == 1 else -1.0)
            C[row, 3 * i + 2] = 0.0 if k < 3 else -1.0


@kernel
def gather(
    table: Table,
    groups_table: Table,
    group_table: Table,
    weights: Floats,
    warm: Floats,
    multiplier: Floats,
    k: int,
) -> bool:
    """Write the matrices of group k and the contacts' pyramids and warm starts.

    ``g = w0 free velocity + w1 velocity + w2 Jdot v + w3 offset``, contacts before loops. Return
    whether W can be a Delassus matrix.
    """
    problem, found = problem_from_arrays(table), open_groups(groups_table)
    arrays = open_group(group_table)
    first, end = found.start[k], 0
    for i in range(first, found.start[k + 1]):
        b = found.order[i]
        found.at[b] = end
        for row in range(problem.row[b], problem.row[b + 1]):
            arrays.g[end] = (
                weights[0] * problem.free_velocity[row]
                + weights[1] * problem.velocity[row]
                + weights[2] * problem.jdot_v[row]
                + weights[3] * problem.offset[row]
            )
            end += 1
    fill_matrix(problem, found, k, arrays.W)
    sides = len(arrays.directions)
    for i in range(found.cones[k]):
        b = found.order[first + i]
        arrays.mu[i] = problem.mu[b]
        fill_pyramid(i, problem.mu[b], arrays.directions, arrays.C)
        for a in range(3):
            arrays.x[3 * i + a] = warm[problem.row[b] + a]
        for side in range(sides):
            arrays.z[sides * i + side] = multiplier[problem.candidate[b], side]
    return symmetrise(arrays.W, arrays.factor, end)


@kernel
def least_norm(table: Table, contacts: int) -> float:
    """Overwrite an answer of a group with that of least norm; return its natural map, as g."""
    cones, largest = open_cones(table), 0.0
    for a in range(3 * contacts):
        largest = max(largest, abs(cones.b[a]))
    return canonical(cones, contacts, ACCURACY * largest, -1.0)


@kernel
def scatter(
    table: Table,
    groups_table: Table,
    group_table: Table,
    x: Floats,
    z: Floats,
    answer: Floats,
    multiplier: Floats,
    k: int,
) -> None:
    """Write the answers of group k, projected into the pyramids, and their multipliers."""
    problem, found = problem_from_arrays(table), open_groups(groups_table)
    directions = open_group(group_table).directions
    sides = len(directions)
    for i in range(found.cones[k]):
        b = found.order[found.start[k] + i]
        at, normal, reach = problem.row[b], max(x[3 * i + 2], 0.0), 0.0
        for side in range(sides):
            along = directions[side, 0] * x[3 * i] + directions[side, 1] * x[3 * i + 1]
            reach = max(reach, along)
            multiplier[problem.candidate[b], side] = max(z[sides * i + side], 0.0)
        bound = problem.mu[b] * normal
        part = 1.0 if reach <= bound else bound / reach
        for a in range(2):
            answer[at + a] = part * x[3 * i + a]
        answer[at + 2] = normal


@kernel
def recall(table: Table, kept: Floats, answer: Floats) -> None:
    """Write the kept values of each contact to its rows; write 0 to the rows of loops."""
    problem = problem_from_arrays(table)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        for a in range(problem.row[b], problem.row[b + 1]):
            c = problem.candidate[b]
            answer[a] = kept[c, a - problem.row[b]] if c >= 0 else 0.0


@kernel
def remember(table: Table, answer: Floats, kept: Floats) -> None:
    """Keep the rows of each contact; keep 0 for contacts that are not in the problem."""
    problem = problem_from_arrays(table)
    for c in range(len(kept)):
        for a in range(3):
            kept[c, a] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if problem.candidate[b] >= 0:
            for a in range(3):
                kept[problem.candidate[b], a] = answer[problem.row[b] + a]


@kernel
def write_offsets(table: Table) -> None:
    """Write the offsets added to ``J v+``: ``gap / dt`` for open points; in an impact ``e u_n-``.

    Loops and tangents have no offset. Separating points also have ``e u_n-`` in an impact (Moreau's
    form), which creates no energy.
    """
    problem = problem_from_arrays(table)
    impulsive, dt = problem.size[ProblemSize.IMPULSIVE] == 1, problem.dt[0]
    for b in range(problem.size[ProblemSize.BLOCKS]):
        last = problem.row[b + 1] - 1
        for a in range(problem.row[b], last + 1):
            problem.offset[a] = 0.0
            problem.correction[a] = 0.0
        if problem.kind[b] != BlockKind.CONE:
            continue
        if impulsive:
            problem.offset[last] = problem.restitution[b] * problem.velocity[last]
        else:
            problem.offset[last] = max(problem.gap[b], 0.0) / dt

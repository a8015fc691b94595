"""The factor ``W = Z Z'``, ordered for the elimination of Newton's systems.

W has three rows per contact, and its rank is at most the number of velocities of the touching
bodies. With many contacts, systems in ``y = Z' r`` are therefore smaller than systems in r. The
columns of Z are grouped by tree; trees without a common contact have no entry in the system. The
tree linked with the fewest columns is eliminated first, which links its neighbours (minimum degree,
Tinney and Walker 1967): in a pile of any size a tree is then linked with two or three others.
"""

from __future__ import annotations

import math

from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.dense import write_dense
from footfall_coulomb.kernels.sweep import largest_diagonal, pair_at
from footfall_coulomb.workspace import FEW_ROWS, BlockState, Setting

RANK = 1e-13
"""Pivots up to this part of the largest diagonal entry of W count as rounding."""


@inner
def tree_of(factor, i, side):
    """Return the tree that a side of block i pushes; -1 if there is none."""
    link = factor.link[i, side]
    return factor.link_tree[link] if link >= 0 else -1


@inner
def place_tree(factor, low, tree, end):
    """Place a tree's columns at ``end``; return the new end."""
    low.place[tree] = end
    return end + factor.tree_v[tree + 1] - factor.tree_v[tree]


@inner
def number_trees(problem, factor, low):
    """Assign numbers to the trees that blocks push; return how many there are.

    Numbering stops when the room is used up; the return value is then one more than the room.
    """
    count = 0
    for tree in range(len(low.place)):
        low.place[tree] = -1
    for i in range(problem.size[ProblemSize.BLOCKS]):
        for side in range(2):
            tree = tree_of(factor, i, side)
            if tree >= 0 and low.place[tree] < 0:
                if count == len(low.tree):
                    return count + 1
                low.place[tree], low.tree[count] = count, tree
                low.wide[count] = factor.tree_v[tree + 1] - factor.tree_v[tree]
                low.degree[count], count = 0, count + 1
    return count


@inner
def join(low, x, y):
    """Record a link between two trees."""
    if x != y and low.link[x, y] == 0:
        low.link[x, y] = low.link[y, x] = 1
        low.degree[x] += low.wide[y]
        low.degree[y] += low.wide[x]


@inner
def take_least(low, count):
    """Remove the tree linked with the fewest columns, link its neighbours, and return it.

    Its degree becomes negative.
    """
    least = -1
    for x in range(count):
        if low.degree[x] >= 0 and (least < 0 or low.degree[x] < low.degree[least]):
            least = x
    low.degree[least] = -1
    for x in range(count):
        if low.link[least, x] == 1 and low.degree[x] >= 0:
            low.degree[x] -= low.wide[least]
            for y in range(x):
                if low.link[least, y] == 1 and low.degree[y] >= 0:
                    join(low, x, y)
    return least


@routine
def place_trees(problem, factor, low):
    """Order the trees that blocks push, the least linked first; return the number of columns.

    If there are too many trees, the number is one more than there is room for.
    """
    count, end = number_trees(problem, factor, low), 0
    if count > len(low.tree):
        return len(low.y) + 1
    for x in range(count):
        for y in range(count):
            low.link[x, y] = 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        one, other = tree_of(factor, i, 0), tree_of(factor, i, 1)
        if one >= 0 and other >= 0:
            join(low, low.place[one], low.place[other])
    for _ in range(count):
        end = place_tree(factor, low, low.tree[take_least(low, count)], end)
    return end


@inner
def pushed_velocities(problem, factor, low):
    """Return the number of velocities of the trees that blocks push, for a given factor."""
    count = 0
    for tree in range(len(low.place)):
        low.place[tree] = -1
    for i in range(problem.size[ProblemSize.BLOCKS]):
        for side in range(2):
            tree = tree_of(factor, i, side)
            if tree >= 0 and low.place[tree] < 0:
                count = place_tree(factor, low, tree, count)
    return count


@inner
def few_rows(problem, factor, low):
    """Return whether to solve the system in rows: few, and at most 1.5 a velocity.

    Rows of joints at their bounds do not count. Without a given factor only their number counts.
    A matrix that is pending is not at hand, unless it is in the factor's product.
    """
    if problem.pending[0] == 1 and problem.in_product[0] == 0:
        return False
    if problem.size[ProblemSize.ROWS] > FEW_ROWS or len(factor.Z) == 0:
        return problem.size[ProblemSize.ROWS] <= FEW_ROWS
    rows = 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        rows += 3 if problem.kind[i] == BlockKind.CONE else 0
    return 2 * rows <= 3 * pushed_velocities(problem, factor, low)


@inner
def copy_side(problem, factor, low, i, side, at, sign):
    """Add a piece of Z to the dense rows at ``low.Z[at:]``, as wide as its tree."""
    link, rows = factor.link[i, side], problem.row[i + 1] - problem.row[i]
    tree = factor.link_tree[link]
    width = factor.tree_v[tree + 1] - factor.tree_v[tree]
    begin = factor.span_start[link]
    for p in range(factor.span_start[link + 1] - begin):
        column, given = at + factor.span[begin + p], factor.start[i, side] + 4 * p
        for a in range(rows):
            low.Z[column + a * width] += sign * factor.Z[given + a]


@inner
def copy_factor(problem, factor, low):
    """Write the segments of all blocks; return False if there is no room for them."""
    at = 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        rows = problem.row[i + 1] - problem.row[i]
        for side in range(2):
            tree, s = tree_of(factor, i, side), 2 * i + side
            low.segment[s, 2] = 0
            if tree < 0:
                continue
            if side == 1 and tree == tree_of(factor, i, 0):
                copy_side(problem, factor, low, i, side, low.segment[s - 1, 0], 1.0)
                continue
            width = factor.tree_v[tree + 1] - factor.tree_v[tree]
            if at + rows * width > len(low.Z):
                return False
            for k in range(at, at + rows * width):
                low.Z[k] = 0.0
            low.segment[s, 0], low.segment[s, 1] = at, low.place[tree]
            low.segment[s, 2], low.segment[s, 3] = width, width
            copy_side(problem, factor, low, i, side, at, 1.0 if side == 1 else -1.0)
            at += rows * width
    return True


@routine
def find_factor(problem, work, low):
    """Factor W itself by Cholesky's method with pivoting; return the number of columns.

    Overwrites ``work.D`` and ``work.u``. Each row of Z takes the room of all possible columns.
    """
    n, most, D, left, Z = problem.size[ProblemSize.ROWS], len(low.y), work.D, work.u, low.Z
    if n > len(left) or n * most > len(Z):
        return 0
    write_dense(problem, D)
    largest = 0.0
    for a in range(n):
        left[a] = D[a, a]
        largest = max(largest, left[a])
    for k in range(min(n, most)):
        p = 0
        for a in range(1, n):
            if left[a] > left[p]:
                p = a
        if left[p] <= RANK * largest:
            return k
        root = math.sqrt(left[p])
        for a in range(n):
            s = D[a, p]
            for j in range(k):
                s -= Z[a * most + j] * Z[p * most + j]
            Z[a * most + k] = s / root
        for a in range(n):
            left[a] -= Z[a * most + k] ** 2
        left[p] = 0.0
    return min(n, most)


@inner
def spread_found(problem, low, columns):
    """Write the segments of the factor that ``find_factor`` returned."""
    most = len(low.y)
    for i in range(problem.size[ProblemSize.BLOCKS]):
        s = 2 * i
        low.segment[s, 0], low.segment[s, 1] = problem.row[i] * most, 0
        low.segment[s, 2] = columns
        low.segment[s, 3] = most
        low.segment[s + 1, 2] = 0


@inner
def number_columns(problem, low, columns):
    """Write the trees in the order of their columns; return their number."""
    count = 0
    for k in range(columns):
        low.node[k] = 0
    for s in range(2 * problem.size[ProblemSize.BLOCKS]):
        if low.segment[s, 2] > 0:
            low.node[low.segment[s, 1]] = low.segment[s, 2]
    for k in range(columns):
        if low.node[k] > 0:
            low.first[count], low.wide[count], low.node[k] = k, low.node[k], count
            count += 1
    return count


@inner
def link_columns(problem, low, count):
    """Record the trees that blocks link: ``low.link[a, b]``, a before b."""
    for a in range(count):
        for b in range(a, count):
            low.link[a, b] = 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if low.segment[2 * i, 2] > 0 and low.segment[2 * i + 1, 2] > 0:
            a, b = low.node[low.segment[2 * i, 1]], low.node[low.segment[2 * i + 1, 1]]
            if a != b:
                low.link[min(a, b), max(a, b)] = 1


@routine
def find_fronts(problem, low, columns):
    """Find the entries of the system that become non-zero during elimination.

    Eliminating a tree links all later trees that it is linked with. Return False if there is no
    room for the entries.
    """
    count, at, end = number_columns(problem, low, columns), 0, 0
    link_columns(problem, low, count)
    low.nodes[0], low.nodes[1] = count, 0
    for a in range(count):
        length = low.wide[a]
        low.start[a], low.front[a] = end, at
        for b in range(a + 1, count):
            if low.link[a, b] > 0:
                if end == len(low.reach):
                    return False
                low.link[a, b], low.reach[end] = length, b
                length, end = length + low.wide[b], end + 1
        for x in range(low.start[a], end):
            for y in range(x + 1, end):
                if low.link[low.reach[x], low.reach[y]] == 0:
                    low.link[low.reach[x], low.reach[y]] = 1
        low.length[a] = length
        at += low.wide[a] * (2 * length - low.wide[a])
        if at > len(low.H):
            return False
    low.start[count], low.front[count] = end, at
    return True


@inner
def write_softness(problem, low):
    """Write what blocks give way by: contacts by the harmonic mean of their W_nn, others by W_ii.

    The mean is the same for both tangents and the normal of every contact, whatever its place, name
    or frame.
    """
    total, count = 0.0, 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] == BlockKind.CONE and low.weight[i] > 0.0:
            normal = problem.W[pair_at(problem, i, i) + 8]
            total += 1.0 / max(normal, 1e-6 * low.weight[i])
            count += 1
    for i in range(problem.size[ProblemSize.BLOCKS]):
        low.soft[i] = low.weight[i]
        if problem.kind[i] == BlockKind.CONE and low.weight[i] > 0.0:
            low.soft[i] = count / total


@routine
def weigh(problem, low):
    """Write the weights and what blocks give way by; forget their states."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        low.weight[i], low.state[i] = largest_diagonal(problem, i), BlockState.GIVEN
    write_softness(problem, low)


@inner
def open_factor(problem, factor, work, low):
    """Write Z, its segments and the system's fronts; return the number of columns, 0 for none.

    Needs the weights. A given factor lacks the compliance, which is part of W; a compliant W is
    therefore factored here.
    """
    if len(factor.Z) > 0 and work.settings[Setting.LARGEST_COMPLIANCE] == 0.0:
        columns = place_trees(problem, factor, low)
        if columns > len(low.y) or not copy_factor(problem, factor, low):
            return 0
    else:
        columns = find_factor(problem, work, low)
        spread_found(problem, low, columns)
    return columns if find_fronts(problem, low, columns) else 0

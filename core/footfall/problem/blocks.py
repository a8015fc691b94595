"""Kernels of blocks: enter them one by one, group them by moving bodies, write W as dense."""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel, routine
from footfall.jit.stages import call
from footfall.problem.arrays import ProblemSize, problem_from_arrays


@inner
def begin_problem(problem, impulsive, dt):
    """Empty the problem."""
    problem.size[ProblemSize.BLOCKS], problem.size[ProblemSize.ROWS] = 0, 0
    problem.size[ProblemSize.IMPULSIVE], problem.row[0], problem.dt[0] = impulsive, 0, dt


@inner
def enter_block(problem, sides, kind, rows, c, first, second):
    """Add a block of a kind and rows, of contact c and two links, without an answer; return it."""
    b, start = problem.size[ProblemSize.BLOCKS], problem.size[ProblemSize.ROWS]
    problem.kind[b], problem.candidate[b] = kind, c
    for k in range(start, start + rows):
        problem.impulse[k], problem.offset[k], problem.correction[k] = 0.0, 0.0, 0.0
    sides.link[b, 0], sides.link[b, 1] = first, second
    problem.size[ProblemSize.BLOCKS] = b + 1
    problem.row[b + 1] = problem.size[ProblemSize.ROWS] = start + rows
    return b


@inner
def complete_matrix(problem):
    """Write all of W, if only its diagonal blocks are written yet; return 0, or -1 if it fails.

    A law whose kernel calls it (see ``whole_matrix_rows``) then ends, unsolved, and its ``go_on``
    calls ``ContactProblem.complete``, which raises the error.
    """
    if problem.pending[0] == 1:
        return call(problem.rest[0], problem.rest[1])
    return 0


@kernel
def complete(table):
    """Run ``complete_matrix`` on a table."""
    return complete_matrix(problem_from_arrays(table))


@routine
def times_matrix(problem, link, start, Z, span_start, span, link_tree, tree_v, r, y, free, u):
    """Write ``u = W r + free``, shape (rows,), by a factor of W; ``Factor`` explains its arrays.

    ``y``: scratch, shape (velocities,).
    """
    row = problem.row
    for k in range(len(y)):
        y[k] = 0.0
    for i in range(2 * problem.size[ProblemSize.BLOCKS]):
        b, own, z = i // 2, link[i // 2, i % 2], start[i // 2, i % 2]
        if own >= 0:
            at, sign, first = row[b], 2.0 * (i % 2) - 1.0, tree_v[link_tree[own]]
            r0, r1, r2 = sign * r[at], 0.0, 0.0
            if row[b + 1] - at == 3:
                r1, r2 = sign * r[at + 1], sign * r[at + 2]
            for k in range(span_start[own], span_start[own + 1]):
                y[first + span[k]] += r0 * Z[z] + r1 * Z[z + 1] + r2 * Z[z + 2]
                z += 4
    for b in range(problem.size[ProblemSize.BLOCKS]):
        at, u0, u1, u2 = row[b], 0.0, 0.0, 0.0
        for s in range(2):
            own, z, sign = link[b, s], start[b, s], 2.0 * s - 1.0
            if own >= 0:
                first = tree_v[link_tree[own]]
                for k in range(span_start[own], span_start[own + 1]):
                    v = sign * y[first + span[k]]
                    u0, u1, u2 = u0 + v * Z[z], u1 + v * Z[z + 1], u2 + v * Z[z + 2]
                    z += 4
        u[at] = free[at] + u0
        if row[b + 1] - at == 3:
            u[at + 1], u[at + 2] = free[at + 1] + u1, free[at + 2] + u2


@inner
def root_of(label, i):
    """Return the smallest block known to be in block i's group; shorten the path to it."""
    while label[i] != i:
        label[i] = label[label[i]]
        i = label[i]
    return i


@inner
def label_groups(problem, label):
    """Run ``group_labels`` on an open problem."""
    n = problem.size[ProblemSize.BLOCKS]
    for i in range(n):
        label[i] = i
    for i in range(n):
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            a, b = root_of(label, i), root_of(label, problem.pair_block[p])
            if a != b:
                label[max(a, b)] = min(a, b)
    for i in range(n):
        label[i] = root_of(label, i)


@kernel
def group_labels(table, label):
    """Write to ``label``, shape (blocks,), the smallest block of each block's group.

    Union-find over the pairs of blocks that push the same tree: a moving body links the blocks that
    touch it; fixed bodies link nothing.
    """
    label_groups(problem_from_arrays(table), label)


@kernel
def write_delassus(table, place, W):
    """Write the sub-matrices of pairs of blocks to W; W must be zero on entry.

    ``place``, shape (blocks,), is the first row of each block in W, or -1 to leave it out.
    """
    problem = problem_from_arrays(table)
    row = problem.row
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if place[i] < 0:
            continue
        rows = row[i + 1] - row[i]
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[p], problem.pair_data[p]
            columns = row[j + 1] - row[j] if place[j] >= 0 else 0
            for a in range(rows):
                for b in range(columns):
                    W[place[i] + a, place[j] + b] = problem.W[at + a * columns + b]

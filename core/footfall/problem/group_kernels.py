"""Kernels of collision groups: blocks linked through moving bodies, and their dense matrix."""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel
from footfall.problem.arrays import BLOCKS, lone_problem


@inner
def root_of(label, i):
    """Return the smallest block known to be in block i's group; shorten the way to it."""
    while label[i] != i:
        label[i] = label[label[i]]
        i = label[i]
    return i


@inner
def label_groups(problem, label):
    """Do what ``group_labels`` does."""
    n = problem.size[BLOCKS]
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

    Union-find over the pairs of blocks that push a tree in common: every moving body links what
    touches it, and what is fixed links nothing.
    """
    label_groups(lone_problem(table), label)


@kernel
def write_delassus(table, place, W):
    """Write the sub-matrices of pairs of blocks to W, which comes as zeros.

    ``place``, shape (blocks,), is each block's first row in W, or -1 if it is left out.
    """
    problem = lone_problem(table)
    row = problem.row
    for i in range(problem.size[BLOCKS]):
        if place[i] < 0:
            continue
        rows = row[i + 1] - row[i]
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[p], problem.pair_data[p]
            if place[j] < 0:
                continue
            columns = row[j + 1] - row[j]
            for a in range(rows):
                for b in range(columns):
                    W[place[i] + a, place[j] + b] = problem.W[at + a * columns + b]

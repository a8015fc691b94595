"""Collision groups: blocks that are linked through moving bodies."""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel
from footfall.kernels.tables import lone_problem


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
    n = problem.size[0]
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

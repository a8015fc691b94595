"""The Delassus matrix of some blocks as a dense array."""

from __future__ import annotations

from footfall.jit.compiling import kernel
from footfall.kernels.tables import lone_problem


@kernel
def write_delassus(table, place, W):
    """Write the sub-matrices of pairs of blocks to W, which comes as zeros.

    ``place``, shape (blocks,), is each block's first row in W, or -1 if it is left out.
    """
    problem = lone_problem(table)
    row = problem.row
    for i in range(problem.size[0]):
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

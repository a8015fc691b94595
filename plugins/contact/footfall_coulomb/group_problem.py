"""A collision group as a separate contact problem, as sparse as the whole."""

from __future__ import annotations

import numpy as np

from footfall.api.advanced import allocate
from footfall.api.contact import ContactProblem, ProblemSize
from footfall.api.plugin import Ints


def part_of(problem: ContactProblem, blocks: Ints) -> ContactProblem:
    """Return the problem of some blocks, in its own storage, with a cold start.

    Args:
        problem: the whole problem.
        blocks: the blocks of whole collision groups, ascending; no pair leads out of them.
    """
    whole, sizes = problem.arrays, np.diff(problem.row)
    pairs = _runs(whole.pair_start[blocks], whole.pair_start[blocks + 1])
    other = whole.pair_block[pairs]
    owner = np.repeat(blocks, whole.pair_start[blocks + 1] - whole.pair_start[blocks])
    entries = sizes[owner] * sizes[other]
    rows = problem.rows_of(blocks)
    arrays = allocate(len(blocks), len(rows), len(pairs), int(entries.sum()))
    arrays.size[:] = len(blocks), len(rows), len(pairs), whole.size[ProblemSize.IMPULSIVE]
    arrays.dt[:] = whole.dt
    arrays.row[1:] = np.cumsum(sizes[blocks])
    arrays.pair_start[1:] = np.cumsum(whole.pair_start[blocks + 1] - whole.pair_start[blocks])
    arrays.pair_block[:] = np.searchsorted(blocks, other)
    arrays.pair_data[:] = np.cumsum(entries) - entries
    start = whole.pair_data[pairs]
    arrays.W[:] = whole.W[_runs(start, start + entries)]
    for name in ("kind", "candidate", "mu", "restitution", "gap", "lower", "upper"):
        getattr(arrays, name)[:] = getattr(whole, name)[blocks]
    for name in ("frame", "position"):
        getattr(arrays, name)[:] = getattr(whole, name)[blocks]
    for name in ("velocity", "free_velocity", "jdot_v"):
        getattr(arrays, name)[:] = getattr(whole, name)[rows]
    factor = problem.factor
    if factor is not None:
        factor = factor._replace(link=factor.link[blocks], start=factor.start[blocks])
    return ContactProblem(arrays, factor)


def _runs(start: Ints, end: Ints) -> Ints:
    """Return the numbers from each start to before its end, one run after another."""
    length = end - start
    first = np.cumsum(length) - length
    numbers: Ints = np.arange(int(length.sum())) - np.repeat(first - start, length)
    return numbers

"""Newton's method for the canonical answer, and ways to a start from which it is found.

The kernels are compiled when a run first needs them: feet that stand on the ground need the first.
They read the residual and the tolerance, [m/s], from ``work.attempt``, and write the residual
there.
"""

from __future__ import annotations

import math
from functools import partial

from footfall.api.advanced import complete_matrix
from footfall.api.contact import BlockKind, ProblemSize, problem_from_arrays
from footfall.api.kernels import call, inner, kernel, routine
from footfall_coulomb.kernels.newton.canonical import (
    ALL_ROWS,
    COLUMNS,
    MORE,
    SMALL,
    canonical,
    from_soft_contacts,
    newton,
)
from footfall_coulomb.kernels.newton.dense import write_dense
from footfall_coulomb.kernels.newton.factor import few_rows, open_factor, weigh
from footfall_coulomb.kernels.newton.proximal import (
    LAST_STALLED,
    SOFTEST,
    STALLED,
    STIFFEST,
    proximal,
)
from footfall_coulomb.kernels.sweep import natural_map
from footfall_coulomb.workspace import (
    FEW_ROWS,
    Acceleration,
    Attempt,
    Setting,
    System,
    factor,
    group_factor,
    low_rank,
    workspace,
)

ROUNDING = 1e-15
"""Relative distance from a bound that counts as none."""
EXACT = 1e-9
"""e of Newton steps whose anchor follows, relative to the mean W_nn of the contacts."""


@inner
def given_factor(space):
    """Return the factor of the system that ``work.system`` names."""
    given = factor(space)
    if workspace(space).system[Acceleration.SYSTEM] == System.GROUP:
        given = group_factor(space)
    return given


@inner
def system(table, space, group_space):
    """Return problem, free velocity, offset and impulse of the system ``work.system`` names."""
    work, problem = workspace(space), problem_from_arrays(table)
    if work.system[Acceleration.SYSTEM] == System.GROUP:
        problem = problem_from_arrays(group_space)
    free, offset, r = problem.free_velocity, problem.offset, problem.impulse
    if work.system[Acceleration.SYSTEM] == System.CORRECTION:
        free, offset, r = work.still, work.push, problem.correction
    return problem, free, offset, r


@inner
def keep_bounds(problem, r):
    """Set impulses at a bound to it: a step ``r += bound - r`` leaves some a rounding away."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        a, box = problem.row[i], problem.kind[i] == BlockKind.BOX
        for bound in (problem.lower[i], problem.upper[i]):
            if box and abs(r[a] - bound) <= ROUNDING * abs(bound):
                r[a] = bound


@routine
def find(way, problem, free, offset, r, residual, tolerance, work, low, columns):
    """Overwrite r by the canonical answer and return its residual, or return the given one.

    ``work.attempt`` tells whether the answer of contacts that give way was found.
    """
    n, before = problem.size[ProblemSize.ROWS], low.best
    for a in range(n):
        before[a] = r[a]
    reached = canonical(way, problem, free, offset, r, tolerance, work, low, columns)
    work.attempt[Attempt.FOUND] = 1.0 if reached < math.inf else 0.0
    if reached <= tolerance or reached < residual:
        keep_bounds(problem, r)
        return reached
    for a in range(n):
        r[a] = before[a]
    return residual


@kernel
def try_few_rows(table, space, group_space):
    """Look for the canonical answer if the system has ``few_rows``; always write its weights."""
    work, low = workspace(space), low_rank(space)
    residual, tolerance = work.attempt[Attempt.RESIDUAL], work.attempt[Attempt.TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    weigh(problem, low)
    if few_rows(problem, given_factor(space), low):
        if problem.pending[0] == 0:
            write_dense(problem, work.D)
        work.attempt[Attempt.RESIDUAL] = find(
            ALL_ROWS, problem, free, offset, r, residual, tolerance, work, low, 0
        )


@routine
def exact(way, problem, free, offset, r, residual, tolerance, work, low, columns):
    """Overwrite r by an exact answer, canonical or not, if one is found; return the residual.

    By Newton steps whose anchor follows, by proximal steps from r, then from the end of the path
    from soft contacts. In the last two contacts give way each by its own W_ii, so that light bodies
    under heavy ones are no harder than others.
    """
    n, small = problem.size[ProblemSize.ROWS], SMALL * tolerance
    for a in range(n):
        low.given[a] = r[a]
    led, _ = newton(way, problem, free, offset, r, small, EXACT, True, MORE, work, low, columns)
    if led:
        found = natural_map(problem, free, offset, r)
        if found <= tolerance:
            return found
    for a in range(n):
        r[a] = low.given[a]
    for i in range(problem.size[ProblemSize.BLOCKS]):
        low.soft[i] = low.weight[i]
    residual = proximal(
        problem, free, offset, r, residual, tolerance, SOFTEST, STALLED, low, columns
    )
    if residual > tolerance:
        for a in range(n):
            low.kept[a] = r[a]
        from_soft_contacts(way, problem, free, offset, r, tolerance, work, low, columns)
        found = natural_map(problem, free, offset, r)
        found = proximal(
            problem, free, offset, r, found, tolerance, STIFFEST, LAST_STALLED, low, columns
        )
        if found < residual:
            return found
        for a in range(n):
            r[a] = low.kept[a]
    return residual


@routine
def from_other_start(way, problem, free, offset, r, residual, tolerance, work, low, columns):
    """Look for the canonical answer from the end of the path from soft contacts.

    Keep the best answer, and return its residual.
    """
    n, kept = problem.size[ProblemSize.ROWS], low.kept
    if residual > tolerance and work.attempt[Attempt.FOUND] == 0.0:
        for a in range(n):
            kept[a] = r[a]
        from_soft_contacts(way, problem, free, offset, r, tolerance, work, low, columns)
        reached = find(way, problem, free, offset, r, math.inf, tolerance, work, low, columns)
        if reached < residual:
            residual = reached
        else:
            for a in range(n):
                r[a] = kept[a]
    return residual


@inner
def is_pending_group(problem, work):
    """Return whether the system is a group without its matrix."""
    return problem.pending[0] == 1 and work.system[Acceleration.SYSTEM] == System.GROUP


@partial(kernel, slp=True)
def try_columns(table, space, group_space):
    """Look for the canonical answer in the columns of the system's factor, from two starts.

    What is left then, or if b asks for velocities that no motion has, is done by ``exact``, which
    needs the matrix: a group whose matrix is pending is left as it is. Return 0, or -1 if the
    matrix could not be completed, or what ``find_exact`` returns if it fails.
    """
    work, low = workspace(space), low_rank(space)
    residual, tolerance = work.attempt[Attempt.RESIDUAL], work.attempt[Attempt.TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    columns = work.system[Acceleration.COLUMNS]
    residual = find(COLUMNS, problem, free, offset, r, residual, tolerance, work, low, columns)
    work.attempt[Attempt.RESIDUAL] = residual = from_other_start(
        COLUMNS, problem, free, offset, r, residual, tolerance, work, low, columns
    )
    if not residual > tolerance or is_pending_group(problem, work):
        return 0
    return call(work.exact[0], work.exact[1]) if complete_matrix(problem) == 0 else -1


@partial(kernel, slp=True)
def find_exact(table, space, group_space):
    """Find an ``exact`` answer in columns, if no better one is known; return 0."""
    work, low = workspace(space), low_rank(space)
    tolerance = work.attempt[Attempt.TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    found, columns = natural_map(problem, free, offset, r), work.system[Acceleration.COLUMNS]
    found = exact(COLUMNS, problem, free, offset, r, found, tolerance, work, low, columns)
    work.attempt[Attempt.RESIDUAL] = min(work.attempt[Attempt.RESIDUAL], found)
    return 0


@partial(kernel, slp=True)
def try_more(table, space, group_space):
    """Look for the canonical answer in any system, from two starts; return 0.

    For a system of few rows ``try_few_rows`` has already looked from the given start and written
    the weights. What ``try_columns`` or ``try_rows`` returns if it fails is returned.
    """
    work, low, given = workspace(space), low_rank(space), given_factor(space)
    problem, _, _, _ = system(table, space, group_space)
    n = problem.size[ProblemSize.ROWS]
    if n > FEW_ROWS:
        weigh(problem, low)
    tried = few_rows(problem, given, low)
    columns = open_factor(problem, given, work, low)
    if columns == 0 and n > len(work.u):
        return 0
    # A factor of W itself is only as exact as W is symmetric: some come from files with few digits.
    found = len(given.Z) == 0 or work.settings[Setting.LARGEST_COMPLIANCE] > 0.0
    few = n <= len(work.u)
    work.system[Acceleration.COLUMNS], work.system[Acceleration.TRIED] = columns, tried
    if columns > 0 and not (few and (tried or found)):
        failed = call(work.columns[0], work.columns[1])
        if failed != 0:
            return failed
    unsolved = work.attempt[Attempt.RESIDUAL] > work.attempt[Attempt.TOLERANCE]
    if few and unsolved and not is_pending_group(problem, work):
        return call(work.rows[0], work.rows[1])
    return 0


@partial(kernel, slp=True)
def try_rows(table, space, group_space):
    """Look for the canonical answer in rows, from two starts, then for an exact one.

    Return 0, or -1 if the matrix could not be completed.
    """
    work, low = workspace(space), low_rank(space)
    residual, tolerance = work.attempt[Attempt.RESIDUAL], work.attempt[Attempt.TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    columns = work.system[Acceleration.COLUMNS]
    if complete_matrix(problem) != 0:
        return -1
    weigh(problem, low)  # again: ``exact`` lets contacts give way each by its own W_ii
    write_dense(problem, work.D)
    if work.system[Acceleration.TRIED] == 0:
        residual = find(ALL_ROWS, problem, free, offset, r, residual, tolerance, work, low, columns)
    residual = from_other_start(
        ALL_ROWS, problem, free, offset, r, residual, tolerance, work, low, columns
    )
    if residual > tolerance and columns > 0:
        found = natural_map(problem, free, offset, r)
        found = exact(ALL_ROWS, problem, free, offset, r, found, tolerance, work, low, columns)
        residual = min(residual, found)
    work.attempt[Attempt.RESIDUAL] = residual
    return 0

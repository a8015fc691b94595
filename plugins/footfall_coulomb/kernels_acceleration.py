"""What is tried where sweeps are slow: Newton steps and, where they lead nowhere, proximal ones.

Both kernels are compiled when a run first needs them: feet that stand on the ground need the first.
They find the residual and the tolerance, [m/s], in ``work.attempt``, and leave the residual there.
"""

from __future__ import annotations

from footfall.api.contact import lone_problem
from footfall.api.kernels import inner, kernel
from footfall_coulomb.kernels_factor import open_factor, weigh
from footfall_coulomb.kernels_newton import ALL_ROWS, COLUMNS, newton, open_dense
from footfall_coulomb.kernels_proximal import SOFTEST, STALLED, from_soft_contacts, proximal
from footfall_coulomb.problem_places import ROWS
from footfall_coulomb.workspace import (
    ATTEMPT_RESIDUAL,
    ATTEMPT_TOLERANCE,
    CORRECTION,
    FEW_ROWS,
    GROUP,
    LARGEST_COMPLIANCE,
    SYSTEM,
    factor,
    group_factor,
    low_rank,
    workspace,
)


@inner
def system(table, space, group_space):
    """Return what ``work.system`` names: the problem, free velocity, offset and impulse."""
    work, problem = workspace(space), lone_problem(table)
    if work.system[SYSTEM] == GROUP:
        problem = lone_problem(group_space)
    free, offset, r = problem.free_velocity, problem.offset, problem.impulse
    if work.system[SYSTEM] == CORRECTION:
        free, offset, r = work.still, work.push, problem.correction
    return problem, free, offset, r


@kernel
def try_few_rows(table, space, group_space):
    """Try Newton steps on a system of at most ``FEW_ROWS`` rows."""
    work, low = workspace(space), low_rank(space)
    residual, tolerance = work.attempt[ATTEMPT_RESIDUAL], work.attempt[ATTEMPT_TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    weigh(problem, free, offset, r, tolerance, low)
    scale, none = open_dense(problem, work), 0 * work.system[SYSTEM]
    work.attempt[ATTEMPT_RESIDUAL] = newton(
        ALL_ROWS, problem, free, offset, r, residual, tolerance, scale, work, low, none
    )


@inner
def try_many_rows(problem, free, offset, r, residual, tolerance, work, low, found, columns):
    """Try Newton steps in all rows or in the columns of a factor; return the residual.

    A factor of W itself is no better than W is symmetric: some come from files with few digits.
    """
    if found or columns == 0:
        scale = open_dense(problem, work)
        return newton(
            ALL_ROWS, problem, free, offset, r, residual, tolerance, scale, work, low, columns
        )
    return newton(COLUMNS, problem, free, offset, r, residual, tolerance, 0.0, work, low, columns)


@kernel
def try_more(table, space, group_space):
    """Try proximal steps; before them, on a system of more than ``FEW_ROWS`` rows, Newton's.

    On one of few rows ``try_few_rows`` has tried those, and has left the weights.
    """
    work, low, given = workspace(space), low_rank(space), factor(space)
    if work.system[SYSTEM] == GROUP:
        given = group_factor(space)
    residual, tolerance = work.attempt[ATTEMPT_RESIDUAL], work.attempt[ATTEMPT_TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    n = problem.size[ROWS]
    if n > FEW_ROWS:
        weigh(problem, free, offset, r, tolerance, low)
    columns = open_factor(problem, given, work, low)
    if columns == 0 and n > len(work.u):
        return
    found = len(given.Z) == 0 or work.settings[LARGEST_COMPLIANCE] > 0.0
    if n > FEW_ROWS:
        residual = try_many_rows(
            problem, free, offset, r, residual, tolerance, work, low, found, columns
        )
    if residual > tolerance and columns > 0:
        residual = proximal(
            *(problem, free, offset, r, residual, tolerance, SOFTEST, STALLED, low, columns)
        )
    if residual > tolerance and columns > 0:
        residual = from_soft_contacts(problem, free, offset, r, residual, tolerance, low, columns)
    work.attempt[ATTEMPT_RESIDUAL] = residual

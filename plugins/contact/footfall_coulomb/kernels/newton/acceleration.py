"""Methods for slow sweeps: Newton steps, softened and proximal steps, a path from soft contacts.

Both kernels are compiled when a run first needs them: feet that stand on the ground need the first.
They read the residual and the tolerance, [m/s], from ``work.attempt``, and write the residual
there.
"""

from __future__ import annotations

from functools import partial

from footfall.api.contact import ProblemSize, problem_from_arrays
from footfall.api.kernels import inner, kernel
from footfall_coulomb.kernels.newton.factor import few_rows, open_factor, weigh
from footfall_coulomb.kernels.newton.path import from_soft_contacts
from footfall_coulomb.kernels.newton.proximal import SOFTEST, STALLED, proximal
from footfall_coulomb.kernels.newton.softened import softened
from footfall_coulomb.kernels.newton.steps import (
    ALL_ROWS,
    COLUMNS,
    RIGID_BLOCK,
    newton,
    open_dense,
)
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


@kernel
def try_few_rows(table, space, group_space):
    """Try Newton steps if the system has ``few_rows``; always write its weights."""
    work, low = workspace(space), low_rank(space)
    residual, tolerance = work.attempt[Attempt.RESIDUAL], work.attempt[Attempt.TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    weigh(problem, free, offset, r, tolerance, low)
    if few_rows(problem, given_factor(space), low):
        scale, none = open_dense(problem, work), 0 * work.system[Acceleration.SYSTEM]
        work.attempt[Attempt.RESIDUAL] = newton(
            ALL_ROWS, problem, free, offset, r, residual, tolerance, scale, work, low, none
        )


@inner
def try_many_rows(problem, free, offset, r, residual, tolerance, work, low, found, columns):
    """Try Newton steps in all rows or in the columns of a factor; return the residual.

    A factor of W itself is only as exact as W is symmetric: some W come from files with few digits.
    """
    if found or columns == 0:
        scale = open_dense(problem, work)
        return newton(
            ALL_ROWS, problem, free, offset, r, residual, tolerance, scale, work, low, columns
        )
    return newton(
        COLUMNS, problem, free, offset, r, residual, tolerance, RIGID_BLOCK, work, low, columns
    )


@partial(kernel, slp=True)
def try_more(table, space, group_space):
    """Try Newton steps, softened and proximal steps, and the path from soft contacts.

    For a system of few rows ``try_few_rows`` has already tried the Newton steps and written the
    weights.
    """
    work, low, given = workspace(space), low_rank(space), given_factor(space)
    residual, tolerance = work.attempt[Attempt.RESIDUAL], work.attempt[Attempt.TOLERANCE]
    problem, free, offset, r = system(table, space, group_space)
    n = problem.size[ProblemSize.ROWS]
    if n > FEW_ROWS:
        weigh(problem, free, offset, r, tolerance, low)
    tried = few_rows(problem, given, low)
    columns = open_factor(problem, given, work, low)
    if columns == 0 and n > len(work.u):
        return
    found = len(given.Z) == 0 or work.settings[Setting.LARGEST_COMPLIANCE] > 0.0
    if not tried:
        residual = try_many_rows(
            problem, free, offset, r, residual, tolerance, work, low, found, columns
        )
    if columns > 0:
        if residual > tolerance:
            residual = softened(problem, free, offset, r, residual, tolerance, work, low, columns)
        if residual > tolerance:
            residual = proximal(
                *(problem, free, offset, r, residual, tolerance, SOFTEST, STALLED, low, columns)
            )
            if residual > tolerance:
                residual = softened(
                    problem, free, offset, r, residual, tolerance, work, low, columns
                )
        if residual > tolerance:
            residual = from_soft_contacts(
                problem, free, offset, r, residual, tolerance, low, columns
            )
    work.attempt[Attempt.RESIDUAL] = residual

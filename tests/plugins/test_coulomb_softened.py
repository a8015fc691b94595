"""Newton steps with contacts that give way, from where steps of full length lead nowhere."""

import numpy as np
from tests.cases import each

from footfall.api.contact import problem_from_arrays
from footfall.api.kernels import bind, kernel, table_of
from footfall.testing.problems.cases import tower
from footfall.testing.problems.residuals import natural_map
from footfall_coulomb.kernels.newton.factor import open_factor, weigh
from footfall_coulomb.kernels.newton.softened import softened
from footfall_coulomb.kernels.newton.steps import COLUMNS, RIGID_BLOCK, newton
from footfall_coulomb.kernels.offset import write_offsets
from footfall_coulomb.workspace import (
    GROUP_ROWS,
    NEWTON_ROWS,
    allocate,
    allocate_low_rank,
    factor,
    low_rank,
    no_factor,
    workspace,
)

TOLERANCE = 1e-7


@kernel
def try_both(table, space, start, tolerance, out):
    """Do full steps and then softened ones from an impulse; write the residual of each."""
    problem, work, low = problem_from_arrays(table), workspace(space), low_rank(space)
    write_offsets(problem, work)
    free, offset, r = problem.free_velocity, problem.offset, problem.impulse
    for a in range(len(start)):
        r[a] = start[a]
    weigh(problem, free, offset, r, tolerance, low)
    columns = open_factor(problem, factor(space), work, low)
    out[0] = newton(
        COLUMNS, problem, free, offset, r, 1e300, tolerance, RIGID_BLOCK, work, low, columns
    )
    for a in range(len(start)):
        r[a] = start[a]
    out[1] = softened(problem, free, offset, r, 1e300, tolerance, work, low, columns)


def residuals(case):
    """Return the residuals of both from no impulse, and the second one measured, [m/s]."""
    problem, out = case.problem(), np.zeros(2)
    settings = TOLERANCE, 1.0, 0.0, 0.0, 0.0
    work = allocate(problem, NEWTON_ROWS, settings, np.zeros(len(case.mu)))
    space = table_of(work, allocate_low_rank(problem, GROUP_ROWS, 360), no_factor())
    start = np.zeros(problem.n_rows)
    bind(try_both, problem.table, space, like=(start, 0.0, out))(start, TOLERANCE, out)
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    return *out, natural_map(case, problem.impulse.copy(), u)


def test_they_solve_what_full_steps_do_not():
    """Boxes on the ground under others, pushed sideways, from no impulse."""
    found = np.array([residuals(tower(seed, ratio)) for seed in range(40) for ratio in (1.0, 5.0)])
    full, soft, measured = (found <= 1.01 * TOLERANCE).sum(axis=0)
    assert soft == measured
    assert soft > full


@each("ratio", [1.0, 10.0, 100.0])
def test_they_return_the_best_that_they_have_seen(ratio):
    for seed in range(5):
        _, reported, measured = residuals(tower(seed, ratio))
        assert abs(measured - reported) <= 1e-9 + 1e-3 * reported

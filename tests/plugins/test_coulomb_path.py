"""The way from soft contacts to rigid ones in compiled code, without sweeps before it."""

import numpy as np
import pytest
from tests.cases import each

from footfall.api.contact import problem_from_arrays
from footfall.api.kernels import bind, kernel, table_of
from footfall.testing.problems.case import beside
from footfall.testing.problems.cases import tower
from footfall.testing.problems.residuals import natural_map
from footfall_coulomb.kernels.newton.factor import open_factor, weigh
from footfall_coulomb.kernels.newton.path import from_soft_contacts
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


@kernel
def follow(table, space, tolerance):
    """Follow the path from no impulse; return the residual."""
    problem, work, low = problem_from_arrays(table), workspace(space), low_rank(space)
    write_offsets(problem, work)
    free, offset, r = problem.free_velocity, problem.offset, problem.impulse
    weigh(problem, free, offset, r, tolerance, low)
    columns = open_factor(problem, factor(space), work, low)
    return from_soft_contacts(problem, free, offset, r, 1e300, tolerance, low, columns)


def followed(case):
    """Return a problem's impulse and the residual that the path reports."""
    problem, tolerance = case.problem(), 1e-9
    problem.impulse[:] = 0.0
    settings = tolerance, 1.0, 0.0, 0.0, 0.0
    work = allocate(problem, NEWTON_ROWS, settings, np.zeros(len(case.mu)))
    space = table_of(work, allocate_low_rank(problem, GROUP_ROWS, 360), no_factor())
    residual = bind(follow, problem.table, space, like=(0.0,))(tolerance)
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    return natural_map(case, problem.impulse.copy(), u), residual


@pytest.mark.long
@each("seed", range(12))
def test_it_leads_to_the_answer_from_no_impulse(seed):
    """A light box under one of a hundred times its mass, pushed sideways."""
    measured, reported = followed(tower(seed, 100.0))
    assert measured <= 1.1e-9
    assert reported <= 1e-9


@pytest.mark.long
def test_it_leads_two_groups_at_once():
    measured, _ = followed(beside(tower(3, 100.0), tower(4, 10.0)))
    assert measured <= 1.1e-9

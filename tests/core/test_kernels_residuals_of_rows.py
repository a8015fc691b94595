"""The host's natural map of the blocks that are not contacts, on a problem done by hand."""

import numpy as np
import pytest

from footfall.jit.compiling import kernel
from footfall.problem.arrays import BlockKind, problem_from_arrays
from footfall.problem.contact_problem import ContactProblem
from footfall.problem.residuals import measure, target_velocity

EQUALITY, UNILATERAL, BOX = BlockKind.EQUALITY, BlockKind.UNILATERAL, BlockKind.BOX


@kernel
def judge(table, u, residual):
    """Measure the answer that stands in a problem, as the step does."""
    problem = problem_from_arrays(table)
    target_velocity(problem, problem.impulse, u)
    measure(problem, u, residual)


def natural_map(kind, impulse, velocity, bounds=(0.0, 0.0)):
    """Natural map of one block of Delassus matrix 1 whose answer leaves ``velocity``, [m/s]."""
    rows = len(impulse)
    free = np.array(velocity) - np.array(impulse)
    problem = ContactProblem.from_dense(
        np.eye(rows), free, np.zeros(1), kinds=(kind,), sizes=(rows,), bounds=np.array([bounds])
    )
    problem.impulse[:] = impulse
    u, residual = np.zeros(rows), np.zeros(5)
    judge(problem.table, u, residual)
    np.testing.assert_allclose(u, velocity, atol=1e-15)
    np.testing.assert_array_equal(residual[1:], 0.0)
    return residual[0]


def test_an_equality_is_off_by_its_whole_velocity_whichever_way_it_pulls():
    """A loop that opens with (0.3, -0.4) m/s: 0.5, with no impulse as with any."""
    assert natural_map(EQUALITY, (0.0, 0.0), (0.3, -0.4)) == pytest.approx(0.5, rel=1e-14)
    assert natural_map(EQUALITY, (-2.0, 7.0), (0.3, -0.4)) == pytest.approx(0.5, rel=1e-14)


def test_an_equality_that_holds_may_pull():
    assert natural_map(EQUALITY, (-2.0, 7.0, -1.0), (0.0, 0.0, 0.0)) == 0.0


def test_a_limit_may_push_or_open_but_neither_pull_nor_do_both():
    assert natural_map(UNILATERAL, (2.0,), (0.0,)) == 0.0
    assert natural_map(UNILATERAL, (0.0,), (0.3,)) == 0.0
    assert natural_map(UNILATERAL, (2.0,), (0.3,)) == pytest.approx(0.3, rel=1e-14)
    assert natural_map(UNILATERAL, (-0.2,), (0.0,)) == pytest.approx(0.2, rel=1e-14)


def test_a_box_holds_within_its_bounds_and_gives_way_at_them():
    bounds = (-1.0, 2.0)
    assert natural_map(BOX, (1.5,), (0.0,), bounds) == 0.0
    assert natural_map(BOX, (2.0,), (-0.3,), bounds) == 0.0
    assert natural_map(BOX, (-1.0,), (0.3,), bounds) == 0.0
    assert natural_map(BOX, (1.5,), (-0.3,), bounds) == pytest.approx(0.3, rel=1e-14)
    assert natural_map(BOX, (2.5,), (0.0,), bounds) == pytest.approx(0.5, rel=1e-14)

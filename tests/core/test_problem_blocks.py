"""Contact problems of typed blocks, written by hand, without a robot."""

import numpy as np
import pytest
from tests.cases import each

from footfall.problem.arrays import BlockKind, ProblemReport
from footfall.problem.contact_problem import ContactProblem
from footfall_coulomb.contact import Coulomb, CoulombConfig

CONE, UNILATERAL, BOX = BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.BOX
EQUALITY = BlockKind.EQUALITY


def positive(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + 0.1 * np.eye(n)


def solve(problem):
    Coulomb(CoulombConfig()).solve(problem, {})
    u = problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset
    return problem.impulse.copy(), u


def test_views_are_trimmed_to_the_problem():
    problem = ContactProblem.from_dense(np.eye(7), np.arange(7.0), np.full(3, 0.4),
                                        kinds=(CONE, UNILATERAL, CONE))  # fmt: skip
    assert (problem.n_blocks, problem.n_rows) == (3, 7)
    assert problem.row.tolist() == [0, 3, 4, 7]
    assert problem.kind.tolist() == [CONE, UNILATERAL, CONE]
    assert problem.free_velocity.tolist() == list(range(7))
    assert problem.rows_of(np.array([0, 2])).tolist() == [0, 1, 2, 4, 5, 6]
    assert problem.rows_of(np.array([], np.int64)).tolist() == []


@pytest.mark.parametrize("shape", [(6, 6), (3, 4)])
def test_a_matrix_that_does_not_fit_is_refused(shape):
    with pytest.raises(ValueError, match="do not fit 3 rows"):
        ContactProblem.from_dense(np.zeros(shape), np.zeros(3), np.ones(1))


def test_an_equality_has_any_number_of_rows_and_is_no_contact():
    W = np.arange(49.0).reshape(7, 7)
    problem = ContactProblem.from_dense(
        W, np.zeros(7), np.zeros(2), kinds=(EQUALITY, CONE), sizes=(4, 3)
    )
    assert problem.row.tolist() == [0, 4, 7]
    assert problem.candidate.tolist() == [-1, 1]
    np.testing.assert_array_equal(problem.delassus(), W)


def test_other_blocks_have_the_rows_that_they_have():
    with pytest.raises(ValueError, match="a block of kind CONE has 3 rows"):
        ContactProblem.from_dense(np.eye(4), np.zeros(4), np.zeros(1), kinds=(CONE,), sizes=(4,))


def test_the_views_write_through():
    problem = ContactProblem.from_dense(np.eye(3), np.zeros(3), np.ones(1))
    problem.impulse[2] = 7.0
    assert problem.arrays.impulse[2] == 7.0


@each("seed", range(20))
def test_unilateral_rows_are_complementary(seed):
    """``0 <= r  perp  u >= 0``, to the law's tolerance."""
    rng = np.random.default_rng(seed)
    n = 6
    problem = ContactProblem.from_dense(
        positive(rng, n), rng.normal(size=n), np.zeros(n), kinds=(UNILATERAL,) * n
    )
    r, u = solve(problem)
    assert (r >= 0.0).all()
    assert (u >= -2e-9).all()
    # Either is zero: the impulse in velocity units, by its diagonal entry.
    assert np.abs(np.minimum(r * np.diag(problem.delassus()), u)).max() < 2e-9


@each("seed", range(20))
def test_boxes_give_way_only_at_their_bounds(seed):
    """``u = 0`` inside, ``u >= 0`` at the lower and ``u <= 0`` at the upper bound."""
    rng = np.random.default_rng(seed)
    n = 6
    bounds = np.sort(rng.normal(scale=0.3, size=(n, 2)), axis=1)
    problem = ContactProblem.from_dense(
        positive(rng, n), rng.normal(size=n), np.zeros(n), kinds=(BOX,) * n, bounds=bounds
    )
    r, u = solve(problem)
    low, high = bounds.T
    assert ((r >= low) & (r <= high)).all()
    inside = (r > low) & (r < high)
    assert np.abs(u[inside]).max(initial=0.0) < 2e-9
    assert (u[r == low] > -2e-9).all()
    assert (u[r == high] < 2e-9).all()
    assert inside.any() or (r == low).any()


@each("seed", range(20))
def test_mixed_blocks_each_keep_their_law(seed):
    """Two contacts, a joint limit and a joint's friction, coupled by one inertia."""
    rng = np.random.default_rng(seed)
    kinds, mu = (CONE, BOX, UNILATERAL, CONE), 0.4
    bounds = np.array([[0, 0], [-0.1, 0.1], [0, 0], [0, 0]], float)
    free = rng.normal(size=8)
    free[[2, 7]] = -np.abs(free[[2, 7]])
    problem = ContactProblem.from_dense(
        positive(rng, 8), free, np.array([mu, 0, 0, mu]), kinds=kinds, bounds=bounds
    )
    r, u = solve(problem)
    assert problem.report.residual <= 1e-9
    for at in (slice(0, 3), slice(5, 8)):
        assert np.hypot(*r[at][:2]) <= mu * r[at][2] * (1.0 + 1e-12)
        assert r[at][2] * abs(u[at][2]) < 1e-7
        sliding = np.hypot(*u[at][:2])
        if sliding > 1e-6:
            np.testing.assert_allclose(r[at][:2], -mu * r[at][2] * u[at][:2] / sliding, atol=1e-6)
    assert abs(r[3]) <= 0.1
    assert abs(r[3]) == pytest.approx(0.1) or abs(u[3]) < 2e-9
    assert r[4] >= 0.0
    assert u[4] >= -2e-9


def test_what_a_law_reports_by_name_is_what_kernels_read():
    problem = ContactProblem.from_dense(np.eye(3), np.zeros(3), np.array([0.5]))
    problem.report.write(7, 1e-9, failed=True, corrects=True)
    np.testing.assert_array_equal(problem.arrays.report, [7.0, 1e-9, 1.0, 1.0])
    problem.report.failed = False
    problem.report.residual = 2e-9
    assert (problem.report.iterations, problem.report.residual) == (7.0, 2e-9)
    assert problem.report.corrects
    assert not problem.report.failed
    problem.arrays.report[ProblemReport.FAILED] = 1.0
    assert problem.report.failed
    problem.report.write()
    assert not problem.arrays.report.any()


def test_an_empty_problem_is_solved():
    problem = ContactProblem.from_dense(np.zeros((0, 0)), np.zeros(0), np.zeros(0))
    Coulomb(CoulombConfig()).solve(problem, {})
    assert problem.n_rows == 0
    assert problem.groups() == []


def test_an_impact_returns_e_times_the_approach():
    """Newton's restitution, each contact its own: ``u_n+ = -e u_n-``."""
    W = np.kron(np.eye(2), np.eye(3))
    free = np.array([0.0, 0.0, -2.0, 0.0, 0.0, -1.0])
    problem = ContactProblem.from_dense(
        W, free, np.full(2, 0.5), restitution=np.array([0.5, 0.0]), impulsive=True
    )
    r, _ = solve(problem)
    np.testing.assert_allclose((W @ r + free)[[2, 5]], (1.0, 0.0), atol=1e-12)


def test_an_open_point_may_close_its_gap_but_not_more():
    """``u_n >= -gap / dt``: 0.5 mm in a step of 1 ms lets 0.5 m/s through."""
    for speed, passes in ((0.4, True), (0.7, False)):
        problem = ContactProblem.from_dense(
            np.eye(3), np.array([0, 0, -speed]), np.ones(1), gap=np.array([5e-4]), dt=1e-3
        )
        r, _ = solve(problem)
        assert (r[2] == 0.0) == passes
        assert problem.free_velocity[2] + r[2] == pytest.approx(-min(speed, 0.5), abs=1e-12)


def test_the_warm_start_is_taken():
    """From the answer itself, one sweep is enough; from nothing sweeps alone take more."""
    rng = np.random.default_rng(3)
    W, free, mu = positive(rng, 12), rng.normal(size=12), np.full(4, 0.5)
    sweeps = CoulombConfig(acceleration="none")
    cold = ContactProblem.from_dense(W, free, mu)
    Coulomb(sweeps).solve(cold, {})
    warm = ContactProblem.from_dense(W, free, mu)
    warm.impulse[:] = cold.impulse
    Coulomb(CoulombConfig()).solve(warm, {})
    assert cold.report.iterations > 1
    assert warm.report.iterations == 1
    np.testing.assert_allclose(warm.impulse, cold.impulse, atol=1e-8)

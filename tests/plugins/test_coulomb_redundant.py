"""The coulomb law on more contacts than the bodies have velocities: W is singular."""

import numpy as np
import pytest
from tests.cases import first

from footfall.problem.arrays import Factor, ProblemSize
from footfall.testing.problems.case import beside
from footfall.testing.problems.cases import cones, contact_frame, point_jacobian
from footfall.testing.problems.residuals import natural_map
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_coulomb.gauss_seidel import GaussSeidel


def plates(seed, points, height=0.0):
    """Return two plates, one on the other, with as many points between them and below.

    Points are up to a height above the plane below them; the plates rest, and are pushed and turned
    such that some points stick, some slip and some open.
    """
    rng = np.random.default_rng(seed)
    frame, masses = contact_frame(np.array([0.0, 0.0, 1.0])), (1.0, 30.0)
    M = np.diag([m * k for m in masses for k in (1.0, 1.0, 1.0, 0.003, 0.004, 0.006)])
    rows = []
    for body in range(2):
        for _ in range(points):
            at = np.append(rng.uniform(-0.1, 0.1, 2), -0.05)
            J = np.zeros((3, 12))
            J[:, 6 * body : 6 * body + 6] = frame @ point_jacobian(at)
            if body == 1:
                J[:, :6] = -frame @ point_jacobian(at + np.array([0.0, 0.0, 0.1]))
            rows.append(J)
    push = 0.01 * rng.standard_normal(12)
    gap = rng.choice([0.0, height], 2 * points) * rng.random(2 * points)
    frames = np.tile(frame, (2 * points, 1, 1))
    fall = np.tile([0.0, 0.0, -0.01, 0.0, 0.0, 0.0], 2)
    return cones(f"plates {seed}", M, np.vstack(rows), np.zeros(12), push + fall, frames, gap=gap)


def known_factor(case):
    """Return the factor of a case's matrix as a world's step would give it: two trees of 6."""
    Z = case.J @ np.diag(np.diag(case.M) ** -0.5)
    n = len(case.mu)
    flat = np.zeros((n, 2, 6, 4))
    for i in range(n):
        for side in range(2):
            part = Z[3 * i : 3 * i + 3, 6 * side : 6 * side + 6].T
            flat[i, side, :, :3] = -part if side == 0 else part
    return Factor(
        link=np.tile([0, 1], (n, 1)),
        start=24 * np.arange(2 * n).reshape(n, 2),
        Z=flat.ravel(),
        span_start=np.array([0, 6, 12]),
        span=np.tile(np.arange(6), 2),
        link_tree=np.array([0, 1]),
        tree_v=np.array([0, 6, 12]),
        product=np.zeros(0),
    )


def solved(case, problem, **settings):
    """Solve a problem of a case; return the natural map by the yardstick, [m/s]."""
    Coulomb(CoulombConfig(**{"tolerance": 1e-9, **settings})).solve(problem, {})
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    return natural_map(case, problem.impulse.copy(), u)


def left_by_first_steps(points, height, factored=True, seeds=20):
    """Return what is left of each pair of plates without the way over soft contacts, [m/s]."""
    left = []
    for seed in range(seeds):
        case = plates(seed, points, height)
        problem = case.problem()
        if factored:
            problem.factor = known_factor(case)
        solver = GaussSeidel(
            problem, CoulombConfig(tolerance=1e-9, max_iterations=200), np.zeros(len(case.mu))
        )
        solver.first()
        u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
        left.append(natural_map(case, problem.impulse.copy(), u))
    return np.array(left)


@pytest.mark.parametrize("factored", [False, True])
def test_redundant_points_are_solved_with_few_exceptions(factored):
    """Thirty points of which three carry: W has 180 rows and rank 12."""
    assert np.linalg.matrix_rank(plates(0, 30).delassus) == 12
    left = left_by_first_steps(30, 0.0, factored)
    assert np.count_nonzero(left <= 1.1e-9) >= 18
    assert left.max() <= 1e-4


def test_points_that_rounding_leaves_nanometres_apart_are_the_hard_ones():
    left = left_by_first_steps(30, 1e-9)
    assert np.count_nonzero(left <= 1.1e-9) >= 13
    assert left.max() <= 1e-4


@pytest.mark.parametrize("points", first(8, 30, 100))
def test_points_that_are_micrometres_apart_are_all_solved(points):
    """A hundred have 600 rows: a factor lets groups have more than a dense matrix could."""
    assert left_by_first_steps(points, 1e-6).max() <= 1.1e-9


def test_sweeps_alone_do_not_solve_them():
    """Else the tests above would show nothing."""
    left = [
        solved(plates(seed, 30), plates(seed, 30).problem(), acceleration="none")
        for seed in range(12)
    ]
    assert max(left) > 1e-7


def test_a_wrong_factor_leaves_the_answer_right():
    """It only leads the way: what counts as solved is judged by the matrix."""
    case = plates(0, 30, 1e-6)
    problem = case.problem()
    given = known_factor(case)
    problem.factor = given._replace(Z=1.05 * given.Z)
    assert solved(case, problem) <= 1.1e-9


def test_solved_groups_are_left_alone():
    """Their impulses keep their bits while the rest of the problem takes Newton steps."""
    hard, rest = plates(3, 30, 1e-6), plates(4, 2)
    lone = rest.problem()
    assert solved(rest, lone) <= 1.1e-9
    case = beside(rest, hard)
    problem = apart(case, len(rest.mu))
    problem.impulse[: lone.n_rows] = lone.impulse
    before = problem.impulse[: lone.n_rows].copy()
    assert solved(case, problem) <= 1.1e-9
    moved = np.abs(problem.impulse[: lone.n_rows] - before)
    # Sweeps may still polish what is within the tolerance; a step on the whole would move it far.
    assert moved.max() <= 1e-8


def apart(case, first):
    """Return the problem with pairs only within the first blocks and within the others."""
    problem, n = case.problem(), len(case.mu)
    inside = np.zeros((n, n), bool)
    inside[:first, :first] = inside[first:, first:] = True
    i, j = np.nonzero(inside)
    arrays = problem.arrays
    arrays.pair_start[1:] = np.cumsum(np.bincount(i))
    arrays.pair_block[: len(j)], arrays.pair_data[: len(j)] = j, 9 * (n * i + j)
    arrays.size[ProblemSize.PAIRS] = len(j)
    return problem

"""What the coulomb law answers to problems that are extreme or none: an answer or a named error."""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.errors import FootfallError, SolverError
from footfall.jit.announcement import compilations
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import chain, foot, tower
from footfall.testing.problems.residuals import natural_map
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_coulomb.law import solve
from footfall_coulomb.soundness import ProblemError, require_definite

UNIT = np.ones(12) / np.sqrt(12.0)

LONGEST = 5.0
"""Time of this process that no test may take beside compiling, [s]; the longest takes 0.5."""


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    solve(np.eye(3), [1.0, 0.0, -1.0], 0.5)


@pytest.fixture(autouse=True)
def bounded():
    """Hold every test of this module to a bounded time."""
    begin, compiling = process_time(), compilations.seconds
    yield
    assert process_time() - begin - (compilations.seconds - compiling) < LONGEST


def answer(case, mu=None):
    """Return the function's answer to a case, and the kit's residual of it."""
    coefficients = case.mu if mu is None else np.full(len(case.mu), mu)
    free = case.J @ case.v_free
    solution = solve(case.delassus, free, coefficients)
    given = replace(case, mu=coefficients)
    return solution, natural_map(given, solution.impulse, solution.velocity)


def corners(contacts, flat):
    """Return ``J M^-1 J'`` and the velocity of points on one body that falls and tumbles."""
    rng = np.random.default_rng(contacts)
    points = rng.uniform(-0.1, 0.1, (contacts, 3))
    if flat:
        points[:, 2] = -0.05
    J = np.zeros((contacts, 3, 6))
    J[:, :, :3] = np.eye(3)
    for i, (x, y, z) in enumerate(points):
        J[i, :, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    J = J.reshape(-1, 6)
    weight = 1.0 / np.array([2.0, 2.0, 2.0, 0.004, 0.008, 0.009])
    return (J * weight) @ J.T, J @ np.array([0.4, -0.2, -1.0, 1.0, -2.0, 0.5])


@pytest.mark.parametrize("mu", [0.0, 0.5, 10.0])
@pytest.mark.parametrize("flat", [True, False])
def test_two_hundred_points_of_one_body_are_solved(flat, mu):
    W, q = corners(200, flat)
    r, u, report = solve(W, q, mu)
    assert report.residual <= 1e-9
    assert u[2::3].min() > -1e-8
    assert r.any()


def test_two_hundred_contacts_of_a_mechanism_are_solved():
    _, residual = answer(chain(0, 200))
    assert residual <= 1.1e-9


@pytest.mark.parametrize("seed", range(5))
def test_without_friction_there_is_no_force_along_the_ground(seed):
    solution, residual = answer(chain(seed), 0.0)
    assert residual <= 1.1e-9
    assert not solution.impulse.reshape(-1, 3)[:, :2].any()


@pytest.mark.parametrize("make", [chain, foot], ids=["chain", "foot"])
def test_a_coefficient_of_ten_is_solved(make):
    for seed in range(20):
        assert answer(make(seed), 10.0)[1] <= 1.1e-9


@pytest.mark.parametrize("ratio", [1e6, 1e-6])
def test_a_mass_ratio_of_a_million_is_solved(ratio):
    for seed in range(20):
        assert answer(tower(seed, ratio))[1] <= 1.1e-9


@pytest.mark.parametrize("seed", range(5))
def test_points_that_are_listed_twice_share_what_one_carries(seed):
    """Where the impulses of single points are unique; four corners that slide may share anyhow."""
    case = chain(seed)
    q = case.J @ case.v_free
    once = solve(case.delassus, q, case.mu)
    doubled = np.kron(np.ones((2, 2)), case.delassus)
    twice = solve(doubled, np.tile(q, 2), np.tile(case.mu, 2))
    np.testing.assert_allclose(twice.velocity, np.tile(once.velocity, 2), atol=1e-7)
    shared = twice.impulse[: len(q)] + twice.impulse[len(q) :]
    np.testing.assert_allclose(shared, once.impulse, atol=1e-7)


def test_points_of_a_foot_that_are_listed_twice_are_solved():
    case = foot(0)
    q = np.tile(case.J @ case.v_free, 2)
    assert solve(np.kron(np.ones((2, 2)), case.delassus), q, 0.5).report.residual <= 1e-9


def test_high_friction_in_a_plane_is_solved():
    """Bodies in a vertical plane, W of rank 3: stick and lift-off may both answer.

    Sweeps that lift off where both do leave 3 of a thousand of these unsolved.
    """
    rng = np.random.default_rng(3)
    for _ in range(1000):
        points, length = int(rng.integers(1, 5)), 10.0 ** rng.uniform(-1.5, 0.5)
        turn = rng.uniform(0.0, 6.0)
        plane = np.array([[np.cos(turn), 0.0], [np.sin(turn), 0.0], [0.0, 1.0]])
        x, z = rng.uniform(-length, length, points), np.full(points, -0.5 * length)
        J = np.concatenate(
            [plane @ [[1.0, 0.0, -b], [0.0, 1.0, a]] for a, b in zip(x, z, strict=True)]
        )
        W = (J * [1.0, 1.0, rng.uniform(2.0, 20.0) / length**2]) @ J.T
        q = J @ (rng.normal(size=3) * [1.0, 0.5, 1.0 / length])
        assert solve(W, q, rng.choice([2.0, 5.0, 10.0])).report.residual <= 1e-9


@each("bad", [np.nan, np.inf])
@each("where", ["delassus", "free_velocity", "mu", "start"])
def test_what_is_no_number_is_refused_by_name(where, bad):
    given = {"delassus": np.eye(6), "free_velocity": -np.ones(6), "mu": np.full(2, 0.5)}
    given["start"] = np.zeros(6)
    given[where].flat[-1] = bad
    with pytest.raises(ProblemError, match=f"{where} holds NaN or infinity"):
        solve(**given)


@each(
    ("changed", "message"),
    [
        ({"delassus": np.eye(4)}, r"shape \(4, 4\), expected \(3 n, 3 n\)"),
        ({"delassus": np.eye(6)[:3]}, r"shape \(3, 6\)"),
        ({"delassus": "six"}, "no array of numbers"),
        ({"free_velocity": np.zeros(3)}, r"free_velocity has shape \(3,\), expected \(6,\)"),
        ({"mu": [0.5]}, r"mu has shape \(1,\), expected \(2,\)"),
        ({"mu": -0.1}, "mu is -0.1, must not be negative"),
        ({"start": np.zeros(5)}, "start has shape"),
        ({"delassus": np.eye(6) + 0.01 * np.eye(6, k=1)}, "not symmetric: largest difference 0.01"),
        ({"delassus": np.diag([1.0, 1, 1, 1, 1, -1e-3])}, "indefinite: eigenvalues from -0.001"),
        ({"delassus": np.eye(6) - 0.3}, "indefinite"),
        ({"delassus": np.zeros((6, 6))}, "contact 0 approaches at 1 m/s"),
        ({"tolerance": 0.0}, "tolerance is 0.0: "),
        ({"local_solver": "exact"}, "local_solver is 'exact': .*'hybrid'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_problem_is_refused_by_name(changed, message):
    given = {"delassus": np.eye(6), "free_velocity": -np.ones(6), "mu": 0.5} | changed
    with pytest.raises(ProblemError, match=message) as caught:
        solve(**given)
    assert isinstance(caught.value, FootfallError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("contacts", [2, 200])
def test_the_law_names_a_matrix_that_is_indefinite(contacts):
    """Also where the sweeps diverge, to values that are no numbers."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3 * contacts, 3 * contacts))
    W = A + A.T + 10.0 * np.eye(3 * contacts) if contacts > 2 else np.eye(6) - 0.9
    problem = ContactProblem.from_dense(W, -np.ones(3 * contacts), np.full(contacts, 0.5))
    with pytest.raises(SolverError, match="indefinite"):
        Coulomb(CoulombConfig()).solve(problem, {})


def test_what_is_not_solved_is_an_error_or_says_so():
    case = tower(2, 1000.0)
    given = case.delassus, case.J @ case.v_free, case.mu
    with pytest.raises(SolverError, match="not solved after 3 sweeps: the natural-map residual"):
        solve(*given, max_iterations=3, acceleration="none")
    _, _, report = solve(*given, max_iterations=3, acceleration="none", unsolved="keep")
    assert report.sweeps == 3
    assert not report.solved


def test_the_arrays_that_are_given_are_not_changed():
    W, q = corners(4, flat=True)
    start, mu = np.full(12, 0.1), np.full(4, 0.5)
    before = [array.copy() for array in (W, q, mu, start)]
    solve(W, q, mu, start=start)
    for array, kept in zip((W, q, mu, start), before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_a_start_at_the_answer_is_the_answer():
    W, q = corners(4, flat=True)
    once = solve(W, q, 0.5)
    again = solve(W, q, 0.5, start=once.impulse)
    assert again.report.sweeps <= 2
    np.testing.assert_allclose(again.velocity, once.velocity, atol=1e-8)


def test_no_contacts_are_a_problem():
    r, u, report = solve(np.zeros((0, 0)), [], [])
    assert r.shape == u.shape == (0,)
    assert report.solved


def test_an_unknown_word_for_unsolved_problems_is_refused():
    with pytest.raises(SolverError, match="unsolved is 'riase'"):
        solve(*corners(4, flat=True), 0.5, unsolved="riase")


def test_steps_that_do_not_reach_the_tolerance_are_counted_as_failures():
    few = {"contact.max_iterations": 1}
    sim = footfall.load("humanoid/drop", few)
    report = sim.record(0.2)
    residuals = []
    again = footfall.load("humanoid/drop", few)
    for _ in range(200):
        again.step()
        residuals.append(float(again.signal("residual_natural_map")))
    assert report.solver_failures >= np.count_nonzero(np.array(residuals) > 1e-8) > 0
    assert footfall.load("humanoid/drop").record(0.2).solver_failures == 0


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda W: W.__setitem__((0, 0), -5.0), "indefinite"),
        (lambda W: W.__setitem__((0, 1), W[0, 1] + 3.0), "not symmetric"),
        (
            lambda W: W.__isub__(2.0 * np.linalg.eigvalsh(W)[-1] * np.outer(*2 * [UNIT])),
            "indefinite",
        ),
    ],
    ids=["negative diagonal", "asymmetry", "negative eigenvalue"],
)
def test_the_law_refuses_matrices_that_are_none_of_masses(spoil, says):
    W, q = corners(4, flat=True)
    spoil(W)
    law = Coulomb(CoulombConfig())
    problem = ContactProblem.from_dense(W, q, np.full(4, 0.5))
    law.allocate(problem.n_blocks, problem.n_rows)
    with pytest.raises(SolverError, match=says):
        law.solve(problem, None)


@pytest.mark.parametrize("rows", [3, 64, 200, 201])
def test_definite_is_told_from_indefinite_by_the_sign_of_the_smallest_eigenvalue(rows):
    A = np.random.default_rng(rows).normal(size=(rows, rows))
    axes, _ = np.linalg.qr(A)
    values = np.linspace(0.01, 1.0, rows)
    require_definite((axes * values) @ axes.T)
    values[0] = -0.01
    with pytest.raises(SolverError, match=r"eigenvalues from -0\.01 to 1,"):
        require_definite((axes * values) @ axes.T)

"""The coulomb law's local solvers, its ways out of slow sweeps, budgets, refusals."""

import numpy as np
import pytest
from tests.cases import each, first

import footfall
import footfall.testing
from footfall.errors import SceneError, SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import chain, tower
from footfall.testing.problems.residuals import natural_map
from footfall_coulomb.contact import Coulomb, CoulombConfig

LOCAL = ("hybrid", "enumerative", "newton", "duriez")


def solved(case, **settings):
    """Return the law's problem after a cold start, and the kit's residual of its answer."""
    problem = case.problem()
    Coulomb(CoulombConfig(**{"tolerance": 1e-9, **settings})).solve(problem, {})
    u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
    return problem, natural_map(case, problem.impulse.copy(), u)


@pytest.mark.parametrize("local", first(*LOCAL[1:]))
def test_the_law_conforms_with_every_local_solver(local):
    footfall.testing.assert_conforms("contact", "coulomb", config={"local_solver": local})


@pytest.mark.parametrize("local", LOCAL)
def test_every_local_solver_finds_the_same_motion(local):
    for seed in range(20):
        case = chain(seed)
        _, error = solved(case, local_solver=local)
        assert error <= 1.1e-9


@pytest.mark.parametrize("ratio", first(100.0, 1000.0))
def test_light_boxes_under_heavy_ones_are_solved(ratio):
    """Sweeps with Newton steps alone leave 1 and 8 in a hundred of these above 1e-6 m/s."""
    worst = max(solved(tower(seed, ratio))[1] for seed in range(300))
    assert worst <= 1.1e-9


def test_sweeps_alone_leave_some_of_them():
    """The way over soft contacts is what solves them: otherwise the test above shows nothing."""
    worst = max(solved(tower(seed, 1000.0), acceleration="none")[1] for seed in range(30))
    assert worst > 1e-6


@each("sweeps", [1, 3, 40, 41, 250])
@each("settings", [{}, {"acceleration": "none"}, {"time_budget": 1e-9}], ids=str)
def test_no_answer_is_worse_than_the_impulse_it_started_from(settings, sweeps):
    rng = np.random.default_rng(sweeps)
    for seed in range(40):
        case = tower(seed, 1000.0)
        problem = case.problem()
        scale = 10.0 ** rng.uniform(-4, 0)
        start = scale * rng.normal(size=problem.n_rows)
        problem.impulse[:] = start
        before = natural_map(case, start, case.delassus @ start + problem.free_velocity)
        law = Coulomb(CoulombConfig(max_iterations=sweeps, **settings))
        law.solve(problem, {})
        after = natural_map(
            case,
            problem.impulse.copy(),
            case.delassus @ problem.impulse + problem.free_velocity,
        )
        assert after <= before * (1.0 + 1e-9) + 1e-12


def test_a_time_budget_ends_the_sweeps():
    problem, _ = solved(tower(2, 1000.0), time_budget=1e-9, acceleration="none")
    assert problem.report.iterations == 10.0
    free, _ = solved(tower(2, 1000.0), acceleration="none")
    assert free.report.iterations == 1000.0


def test_an_indefinite_matrix_is_refused():
    W = np.diag([1.0, 1.0, -1.0])
    problem = ContactProblem.from_dense(W, np.array([0.1, 0.0, -1.0]), np.array([0.5]))
    with pytest.raises(SolverError, match="indefinite"):
        Coulomb(CoulombConfig()).solve(problem, {})


def test_a_negative_matrix_is_refused():
    problem = ContactProblem.from_dense(-np.eye(3), np.array([0.1, 0, -1.0]), np.array([0.5]))
    with pytest.raises(SolverError, match="indefinite: eigenvalues from -1 to -1"):
        Coulomb(CoulombConfig()).solve(problem, {})


def test_a_compliance_beyond_what_doubles_solve_is_refused_by_its_key():
    with pytest.raises(SceneError, match=r"contact\.compliance: .*1e\+?300"):
        footfall.load("cube/sliding", {"contact.compliance": 1e300})

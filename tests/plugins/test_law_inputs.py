"""Bad and hard input to the impulse laws: a right answer, a named error or a reported failure."""

import numpy as np
import pytest
from tests.cases import each

from footfall.errors import SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.registry.discover import discover
from footfall.testing.problems.cases import chain, tower

LAWS = ["lcp", "ccp", "bisection", "pinocchio_constraints"]


@pytest.fixture(params=LAWS)
def law(request):
    cls = discover().contact[request.param].load()
    return cls(cls.Config())


def honest(law, problem):
    """Solve; return whether it claims success. What it says is finite, and pushes."""
    law.solve(problem, {})
    r = problem.impulse
    assert np.isfinite(r).all()
    assert (r[2::3] >= 0.0).all()
    return not problem.report.failed


def not_into_the_ground(problem, tolerance):
    u = problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset
    return u[2::3].min() >= -tolerance


@each("where", ["W", "free_velocity", "velocity", "mu", "gap", "restitution"])
@each("what", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_by_name(law, where, what):
    problem = chain(0).problem()
    getattr(problem.arrays, where)[1] = what
    with pytest.raises(SolverError, match=f"{law.name}: the contact problem is not finite"):
        law.solve(problem, {})


def test_a_matrix_that_is_not_symmetric_is_refused(law):
    W = np.eye(3)
    W[0, 1] = 0.5
    problem = ContactProblem.from_dense(W, np.array([1.0, 0.0, -1.0]), np.array([0.5]))
    with pytest.raises(SolverError, match=rf"{law.name}: the Delassus matrix is not symmetric"):
        law.solve(problem, {})


def test_a_negative_diagonal_is_refused(law):
    problem = ContactProblem.from_dense(-np.eye(3), np.array([1.0, 0.0, -1.0]), np.array([0.5]))
    with pytest.raises(SolverError, match="not positive semidefinite: eigenvalues from -1 to -1"):
        law.solve(problem, {})


def test_an_indefinite_matrix_is_refused(law):
    """Its diagonal is as it should be."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 12))
    W = A + A.T
    np.fill_diagonal(W, 1.0)
    problem = ContactProblem.from_dense(W, rng.normal(size=12), np.full(4, 0.5))
    with pytest.raises(SolverError, match=f"{law.name}: the Delassus matrix is not positive"):
        law.solve(problem, {})


@each("ratio", [1e-6, 1e3, 1e6])
def test_mass_ratios_are_solved_or_reported(law, ratio):
    problem = tower(0, ratio).problem()
    if honest(law, problem):
        assert not_into_the_ground(problem, 1e-5)
    else:
        assert problem.report.residual > 0.0


@each("seed", range(20))
def test_a_large_friction_coefficient_is_solved_or_reported(law, seed):
    problem = chain(seed).problem()
    problem.mu[:] = 10.0
    if honest(law, problem):
        assert not_into_the_ground(problem, 1e-6)


@each("mu", [0.0, 0.5])
def test_two_hundred_contacts_on_one_body_are_solved(law, mu):
    """Rank 6 of 600, the free motion into the ground at most points."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(600, 6))
    A[2::3, 2] = 10.0 + rng.normal(size=200)
    free = A @ np.array([0.1, -0.2, -0.1, 0.01, 0.02, 0.0])
    problem = ContactProblem.from_dense(A @ A.T, free, np.full(200, mu))
    assert honest(law, problem)
    assert not_into_the_ground(problem, 1e-5)
    if mu == 0.0:
        assert not problem.impulse.reshape(-1, 3)[:, :2].any()


def test_contacts_of_an_immovable_body_take_no_impulse(law):
    free = np.array([1.0, 0.0, -1.0])
    problem = ContactProblem.from_dense(np.zeros((3, 3)), free, np.array([0.5]))
    assert honest(law, problem)
    assert not problem.impulse.any()

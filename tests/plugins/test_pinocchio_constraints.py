"""Pinocchio's solvers and ``coulomb`` agree, and where answers are several, on all of them."""

import resource

import numpy as np
import pytest
from tests.cases import each

from footfall.api.plugin import SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems import residuals
from footfall.testing.problems.cases import chain, foot, limits, tower
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_pinocchio_constraints.contact import (
    PinocchioConstraints,
    PinocchioConstraintsConfig,
)

SAME = 1e-6
"""Speed to which two laws that solve to 1e-9 agree where the answer is unique, [m/s]."""
SEVERAL = 1e-4
"""Difference of two answers, [m/s], far beyond what residuals of 1e-9 can explain."""


def coulomb(case, guess=None):
    return answer(case, Coulomb(CoulombConfig()), guess)


def pinocchio(case, guess=None, **keys):
    return answer(case, PinocchioConstraints(PinocchioConstraintsConfig(**keys)), guess)


def answer(case, law, guess=None):
    """Return impulse and velocity; they satisfy the conditions by the kit's own measure."""
    problem = case.problem()
    if guess is not None:
        problem.impulse[:] = guess
    law.solve(problem, {})
    assert not problem.report.failed
    r = problem.impulse.copy()
    u = case.delassus @ r + problem.free_velocity
    assert residuals.natural_map(case, r, u + problem.offset) <= 1.01e-9
    return r, u


def starts(case, count):
    """Random impulses, some pulling, of the size of the answer."""
    rng = np.random.default_rng(0)
    size = np.abs(coulomb(case)[0]).max()
    return size * rng.uniform(-0.3, 1.0, (count, len(case.delassus)))


def gliding(seed):
    """The foot that slides without turning."""
    case = foot(seed)
    for v in (case.v, case.v_free):
        v[3:] = 0.0
    return case


@each("algorithm", ["admm", "pgs"])
@each("case", [*map(chain, range(6)), *map(limits, range(4))], ids=lambda case: case.name)
def test_velocities_agree_with_coulomb(case, algorithm):
    """Contacts, limits and joint friction of a mechanism whose Delassus matrix is regular."""
    expected = coulomb(case)[1]
    found = pinocchio(case, algorithm=algorithm)[1]
    np.testing.assert_allclose(found, expected, atol=SAME)


@pytest.mark.parametrize("ratio", [1e-6, 1e-2, 1e2, 1e4])
def test_velocities_agree_under_a_load(ratio):
    case = tower(0, ratio)
    np.testing.assert_allclose(pinocchio(case)[1], coulomb(case)[1], atol=SAME)


@pytest.mark.parametrize("seed", range(3))
def test_a_foot_that_slides_without_turning_has_one_velocity(seed):
    """Its four corners share their normal force in many ways, and all brake it alike."""
    case = gliding(seed)
    expected = coulomb(case)[1]
    assert np.hypot(*expected.reshape(-1, 3)[:, :2].T).min() > 0.1
    for guess in starts(case, 10):
        for law in (coulomb, pinocchio):
            np.testing.assert_allclose(law(case, guess)[1], expected, atol=SAME)


@pytest.mark.parametrize("seed", range(3))
def test_a_foot_that_slides_and_turns_has_several_answers(seed):
    """Each start leads to another; coulomb has one of them, wherever it starts."""
    case = foot(seed)
    found = np.array([pinocchio(case, guess)[1] for guess in starts(case, 10)])
    assert np.ptp(found, axis=0).max() > SEVERAL
    found = np.array([coulomb(case, guess)[1] for guess in starts(case, 10)])
    assert np.ptp(found, axis=0).max() < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_pinocchio_keeps_the_answer_of_coulomb(seed):
    """Where there are several, the canonical one is one of them."""
    case = foot(seed)
    r, u = coulomb(case)
    np.testing.assert_allclose(pinocchio(case, r)[1], u, atol=SAME)


def test_a_foot_that_turns_on_its_centre_can_be_braked_unevenly():
    """Four equal corners at normal forces ``N / 4 + s (1, -1, 1, -1)``: any s is an answer.

    The free motion turns about the vertical; each corner brakes with mu r_n against its slip, and
    the moment, mu R (sum of r_n), is the same for every s, while the force is
    ``mu s (t1 - t2 + t3 - t4) = 0`` for a square, so that here even the velocity is the same.
    """
    half, w = 0.1, 1.0
    corners = np.array([(x, y, 0.0) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]) * half
    J = np.vstack(
        [np.hstack([np.eye(3), [[0, 0, -y], [0, 0, x], [y, -x, 0]]]) for x, y, _ in corners]
    )
    W = J @ np.diag([1.0, 1.0, 1.0, 100.0, 100.0, 100.0]) @ J.T
    free = J @ np.array([0.0, 0.0, -0.01, 0.0, 0.0, w])
    found = []
    for s in (0.0, 0.001):
        normal = 0.0025 + s * np.array([1.0, -1.0, 1.0, -1.0])
        against = -np.column_stack([-corners[:, 1], corners[:, 0]]) / (half * np.sqrt(2.0))
        guess = np.column_stack([0.5 * normal[:, None] * against, normal]).ravel()
        problem = ContactProblem.from_dense(W, free, np.full(4, 0.5))
        problem.impulse[:] = guess
        PinocchioConstraints(PinocchioConstraintsConfig()).solve(problem, {})
        assert not problem.report.failed
        np.testing.assert_allclose(problem.impulse, guess, atol=1e-9)
        found.append(W @ problem.impulse + free)
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    braked = w - 100.0 * 0.5 * 0.01 * half * np.sqrt(2.0)
    np.testing.assert_allclose(found[0][1], braked * half, atol=1e-9)


@pytest.mark.parametrize("algorithm", ["admm", "pgs"])
def test_too_few_iterations_are_reported(algorithm):
    problem = chain(0).problem()
    config = PinocchioConstraintsConfig(algorithm=algorithm, max_iterations=1, tolerance=1e-14)
    PinocchioConstraints(config).solve(problem, {})
    assert problem.report.residual > 1e-14
    assert problem.report.failed


def test_a_point_that_nothing_can_move_takes_no_impulse_and_disturbs_no_other():
    """Whatever impulse it starts from."""
    W = np.zeros((6, 6))
    W[:3, :3] = np.eye(3)
    problem = ContactProblem.from_dense(W, np.array([0, 0, -1.0] * 2), np.array([0.5, 0.5]))
    problem.impulse[:] = 1.0
    PinocchioConstraints(PinocchioConstraintsConfig()).solve(problem, {})
    np.testing.assert_allclose(problem.impulse, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], atol=1e-9)
    assert not problem.report.failed


def test_pgs_refuses_a_matrix_that_does_not_fit_onto_the_stack(monkeypatch):
    """Pinocchio copies it there: 1440 rows crash with the usual 8 MiB."""
    monkeypatch.setattr(resource, "getrlimit", lambda which: (2**20, 2**20))
    for algorithm in ("admm", "pgs"):
        law = PinocchioConstraints(PinocchioConstraintsConfig(algorithm=algorithm))
        problem = chain(0).problem()
        if algorithm == "admm":
            law.solve(problem, {})
            continue
        with pytest.raises(SolverError, match=r"kB of stack for .* rows: ulimit -s unlimited"):
            law.solve(problem, {})

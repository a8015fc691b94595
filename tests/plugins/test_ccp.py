"""The convex law: its optimality conditions hold, and what slides is lifted as they say."""

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import chain, foot, tower
from footfall_small_laws.ccp.contact import CCPConfig, ConeComplementarity

G, DT = 9.81, 1e-3


def solved(problem):
    ConeComplementarity(CCPConfig()).solve(problem, {})
    assert not problem.report.failed
    u = problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset
    return problem.impulse.reshape(-1, 3), u.reshape(-1, 3)


CASES = [*(chain(seed) for seed in range(6)), *(foot(seed) for seed in range(3)), tower(1, 1000.0)]


@each("case", CASES, ids=lambda case: case.name)
def test_impulse_and_velocity_lie_in_dual_cones_at_right_angles(case):
    """``|r_t| <= mu r_n``, ``u_n >= mu |u_t|``, ``r . u = 0``: the minimum's conditions."""
    r, u = solved(case.problem())
    slip = np.hypot(u[:, 0], u[:, 1])
    assert (np.hypot(r[:, 0], r[:, 1]) <= case.mu * r[:, 2] * (1 + 1e-12)).all()
    assert (u[:, 2] - case.mu * slip >= -1e-8).all()
    assert np.abs((r * u).sum(axis=1)).max() < 1e-8 * max(1.0, np.abs(r).max())


def test_a_sliding_point_takes_off():
    """A point of 1 kg at v: ``u_n = mu (v - mu g dt) / (1 + mu^2)``, friction along with it."""
    mu, v = 0.5, 1.0
    free = np.array([v, 0.0, -G * DT])
    r, u = solved(ContactProblem.from_dense(np.eye(3), free, np.array([mu])))
    normal = (mu * v + G * DT) / (1 + mu**2)
    np.testing.assert_allclose(r[0], [-mu * normal, 0.0, normal], atol=1e-9)
    np.testing.assert_allclose(u[0, 2], mu * u[0, 0], atol=1e-9)


def test_a_cube_that_slides_at_6_metres_a_second_rises_by_0_3_metres():
    """It leaves at ``mu v / (1 + mu^2)`` = 2.4 m/s, and flies 0.294 m high; it should stay down."""
    run = footfall.load("cube/sliding", {"contact.plugin": "ccp"}).run(1.5)
    rise = float(run.base_position.sel(body="cube", axis="z").max()) - 0.05
    expected = (0.5 * 6.0 / 1.25) ** 2 / (2.0 * G)
    assert rise == pytest.approx(expected, rel=0.01)


def test_where_all_stick_it_is_coulombs_law():
    """A point held below the limit stays where it is, on the force that holds it."""
    pull = np.array([0.3e-2, -0.2e-2, -1e-2])
    r, u = solved(ContactProblem.from_dense(np.eye(3), pull, np.array([0.5])))
    np.testing.assert_allclose(r[0], -pull, atol=1e-10)
    np.testing.assert_allclose(u, 0.0, atol=1e-9)


def test_too_few_iterations_are_reported():
    problem = tower(1, 1e9).problem()
    ConeComplementarity(CCPConfig(max_iterations=2)).solve(problem, {})
    assert problem.report.iterations == 2.0
    assert problem.report.residual > 1e-9
    assert problem.report.failed

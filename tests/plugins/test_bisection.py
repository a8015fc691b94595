"""The law of maximum dissipation: each contact's answer is optimal, given the others'."""

import numpy as np
import pytest
from tests.cases import each

from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import chain, foot
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_small_laws.bisection.contact import Bisection, BisectionConfig


def solved(problem, law=None):
    law = law or Bisection(BisectionConfig())
    law.solve(problem, {})
    assert not problem.report.failed
    u = problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset
    return problem.impulse.reshape(-1, 3), u.reshape(-1, 3)


def on_the_conic(W, c, mu, angle):
    """The impulse on the cone at an angle with u_n = 0, or None where there is none."""
    d = np.array([mu * np.cos(angle), mu * np.sin(angle), 1.0])
    room = W[2] @ d
    return -c[2] / room * d if room > 0.0 else None


def energy(W, c, r):
    return float(0.5 * r @ W @ r + c @ r)


def coupled(k):
    """One sliding contact whose normal impulse pushes it sideways: W_nt = (0, k) W_nn."""
    W = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, k], [0.0, k, 1.0]])
    return ContactProblem.from_dense(W, np.array([1.0, 0.0, -0.1]), np.array([0.5]))


@each("case", [*map(chain, range(6)), *map(foot, range(3))], ids=lambda c: c.name)
def test_no_other_slip_of_a_contact_leaves_less_energy(case):
    """Against 720 directions on each contact's conic; those that stick or open do so rightly."""
    r, u = solved(case.problem())
    slipping = 0
    for i in range(len(case.mu)):
        rows = slice(3 * i, 3 * i + 3)
        W = case.delassus[rows, rows]
        c, mu = u[i] - W @ r[i], case.mu[i]
        if r[i, 2] == 0.0:
            assert u[i, 2] >= -1e-7
            continue
        assert abs(u[i, 2]) < 1e-7
        if np.linalg.norm(u[i]) < 1e-6:
            continue
        slipping += 1
        others = (on_the_conic(W, c, mu, a) for a in np.linspace(0, 2 * np.pi, 720))
        least = min(energy(W, c, other) for other in others if other is not None)
        assert energy(W, c, r[i]) <= least + 1e-7
    assert slipping > 0


def test_without_coupling_it_is_coulombs_law():
    r, u = solved(coupled(0.0))
    expected = solved(coupled(0.0), Coulomb(CoulombConfig()))
    np.testing.assert_allclose(r, expected[0], atol=1e-8)
    np.testing.assert_allclose(u, expected[1], atol=1e-8)


@pytest.mark.parametrize("k", [0.1, 0.3, 0.5])
def test_with_coupling_friction_is_not_opposite_to_the_slip(k):
    """It turns by about ``mu W_nt / W_nn`` [rad], and dissipates more than Coulomb's law."""
    (r,), (u,) = solved(coupled(k))
    angle = np.arccos(-(r[:2] @ u[:2]) / np.linalg.norm(r[:2]) / np.linalg.norm(u[:2]))
    assert angle == pytest.approx(np.arctan(0.5 * k), rel=0.1)
    exact = solved(coupled(k), Coulomb(CoulombConfig()))[0][0]
    W, b = coupled(k).delassus(), coupled(k).free_velocity
    assert energy(W, b, r) < energy(W, b, exact) - 1e-6


def test_too_few_sweeps_are_reported():
    problem = chain(0).problem()
    Bisection(BisectionConfig(max_iterations=1)).solve(problem, {})
    assert problem.report.iterations == 1.0
    assert problem.report.residual > 1e-8
    assert problem.report.failed

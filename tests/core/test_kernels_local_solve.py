"""One contact solved exactly, whatever its matrix: random, ill-conditioned and singular ones."""

import numpy as np
import pytest
from tests.cases import each

from footfall.problem.contact_problem import ContactProblem
from footfall_coulomb.contact import Coulomb, CoulombConfig

FRICTION = (0.0, 0.01, 0.3, 1.0, 3.0, 10.0)
SAMPLES = pytest.mark.parametrize("samples", [15, pytest.param(400, marks=pytest.mark.long)])
"""Random contacts of a case; the longer list begins with the shorter."""
LAW = Coulomb(CoulombConfig(tolerance=1e-13, max_iterations=1000))


def project(x, mu):
    """Return the projection on the cone ``|x_t| <= mu x_n``."""
    size = np.hypot(x[0], x[1])
    if size <= mu * x[2]:
        return x
    if mu * size <= -x[2]:
        return np.zeros(3)
    n = (x[2] + mu * size) / (1.0 + mu**2)
    return np.array([mu * n * x[0] / size, mu * n * x[1] / size, n])


def natural_map(W, b, r, mu):
    """Return ``|r - P(r - rho (u + mu |u_t| n))| / rho``, written out here, [m/s]."""
    u, rho = W @ r + b, 1.0 / np.diag(W).max()
    shifted = u + np.array([0.0, 0.0, mu * np.hypot(u[0], u[1])])
    return np.linalg.norm(r - project(r - rho * shifted, mu)) / rho


def solved(W, b, mu):
    """Return the law's impulse from a cold start, and the relative natural map."""
    problem = ContactProblem.from_dense(W, b, np.array([mu]))
    LAW.solve(problem, {})
    r = problem.impulse.copy()
    return r, natural_map(W, b, r, mu) / np.linalg.norm(b)


def orthogonal(rng):
    return np.linalg.qr(rng.normal(size=(3, 3)))[0]


@SAMPLES
@each("mu", FRICTION)
@each("condition", [1.0, 1e2, 1e4, 1e5])
def test_every_regular_contact_is_solved(condition, mu, samples):
    """To 1e-9 of the velocity; rounding alone is condition times 1e-16 times mu."""
    rng = np.random.default_rng(int(condition) + int(100 * mu))
    for _ in range(samples):
        values = rng.permutation([1.0, condition ** -rng.uniform(), 1.0 / condition])
        Q = orthogonal(rng)
        W = Q @ np.diag(values) @ Q.T * 10.0 ** rng.uniform(-3, 3)
        b = rng.normal(size=3) * 10.0 ** rng.uniform(-3, 1)
        _, error = solved(0.5 * (W + W.T), b, mu)
        assert error < 1e-9


@SAMPLES
@each("mu", FRICTION)
@each("rank", [1, 2])
def test_every_singular_contact_is_solved(rank, mu, samples):
    """Contacts of mechanisms with one or two dofs; velocities that those dofs can have."""
    rng = np.random.default_rng(10 * rank + int(100 * mu))
    for _ in range(samples):
        J = rng.normal(size=(3, rank))
        _, error = solved(J @ J.T, J @ rng.normal(size=rank), mu)
        assert error < 1e-9


JAMMED = [
    # A rod's tip at mu 10 in mid-tumble; the sliding direction lies close to where W_nn + mu W_nt.d
    # is zero.
    (
        [
            [9.228529881183082, -40.960974281320404, -1.057214595136187],
            [-40.960974281320404, 243.1206219361167, 15.06702524761454],
            [-1.057214595136187, 15.06702524761454, 3.6508481827002828],
        ],
        [-0.880273459160601, 0.07351313800118994, -0.00232188080516822],
    ),
    (
        [
            [6.822264546403694, 36.20784083235964, 8.432496884590057],
            [36.20784083235964, 234.82127432918045, 49.295478342144285],
            [8.432496884590057, 49.295478342144285, 14.35646112441598],
        ],
        [-7.038857684653074, 2.2643462823594755, -0.08976749231808945],
    ),
]


@pytest.mark.parametrize("case", range(len(JAMMED)))
def test_sliding_close_to_jamming_is_found(case):
    W, b = (np.array(x) for x in JAMMED[case])
    r, error = solved(W, b, 10.0)
    assert error < 1e-12
    assert r[2] > 0.0


@pytest.mark.parametrize("mu", FRICTION)
def test_open_stick_and_slip_are_told_apart(mu):
    """A unit mass: open if it leaves, stick if ``|b_t| <= mu |b_n|``, slip otherwise."""
    W = np.eye(3)
    r, _ = solved(W, np.array([0.3, -0.2, 0.1]), mu)
    assert not r.any()
    b = np.array([0.3 * mu, -0.4 * mu, -1.0])
    np.testing.assert_allclose(solved(W, b, mu)[0], -b, atol=1e-13)
    b = np.array([0.6 * (mu + 1.0), -0.8 * (mu + 1.0), -1.0])
    expected = np.array([-0.6 * mu, 0.8 * mu, 1.0])
    np.testing.assert_allclose(solved(W, b, mu)[0], expected, atol=1e-13)


def test_a_warm_start_does_not_change_the_answer():
    """From any impulse, inside or outside the cone: the same unique answer of a regular contact."""
    rng = np.random.default_rng(7)
    A = rng.normal(size=(3, 3))
    W, b, mu = A @ A.T + np.eye(3), np.array([0.4, -0.3, -0.5]), 0.3
    cold, _ = solved(W, b, mu)
    for _ in range(20):
        problem = ContactProblem.from_dense(W, b, np.array([mu]))
        problem.impulse[:] = rng.normal(size=3)
        LAW.solve(problem, {})
        np.testing.assert_allclose(problem.impulse, cold, atol=1e-12)


def test_a_contact_that_nothing_can_move_gets_no_impulse():
    """W = 0: whatever approaches, no impulse does anything."""
    problem = ContactProblem.from_dense(np.zeros((3, 3)), np.array([0.1, 0.2, -0.3]), np.ones(1))
    LAW.solve(problem, {})
    assert np.isfinite(problem.impulse).all()
    assert not problem.impulse.any()


@pytest.mark.parametrize("mu", [0.3, 1.0])
@pytest.mark.parametrize("contacts", [2, 5, 12])
def test_several_contacts_of_one_body_are_solved(contacts, mu):
    """Random points of a rigid body with random velocities: W of rank 6 at most."""
    rng = np.random.default_rng(contacts)
    for _ in range(50):
        J = np.vstack([np.hstack([np.eye(3), -skew(rng.normal(size=3))]) for _ in range(contacts)])
        M = np.diag(rng.uniform(0.5, 2.0, 6))
        W = J @ np.linalg.solve(M, J.T)
        b = J @ rng.normal(size=6)
        problem = ContactProblem.from_dense(W, b, np.full(contacts, mu))
        law = Coulomb(CoulombConfig())
        law.solve(problem, {})
        r = problem.impulse.reshape(-1, 3)
        u = (W @ problem.impulse + b).reshape(-1, 3)
        rho = 1.0 / np.array([np.diag(W)[3 * i : 3 * i + 3].max() for i in range(contacts)])
        for i in range(contacts):
            shifted = u[i] + np.array([0, 0, mu * np.hypot(*u[i, :2])])
            step = r[i] - project(r[i] - rho[i] * shifted, mu)
            assert np.linalg.norm(step) / rho[i] <= 2e-9


def skew(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])

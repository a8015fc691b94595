"""Mechanics that any engine's arrays must obey, against finite differences and sums over links."""

import numpy as np
import pytest
from tests.plugins.engine_models import (
    BASES,
    ENGINES,
    TILTED,
    com_jacobians,
    displaced,
    engine,
    icub_source,
    link_jacobian,
    link_pose,
    random_state,
    source,
)

STEP = 1e-5
"""Step of central differences, [s]: truncation 1e-10, rounding 1e-16 / 1e-5, relative."""
DIFFERENCE = 1e-8
"""What two central differences may miss, relative to the largest entry."""


@pytest.fixture(scope="module", params=ENGINES)
def loaded(request):
    return engine(request.param)


@pytest.fixture(scope="module", params=BASES)
def tree(request, loaded):
    return loaded.load(source(request.param))


@pytest.fixture(scope="module", params=[0, 1, 2])
def state(request, tree):
    return random_state(tree.model, request.param)


def evaluated(tree, q, v):
    tree.evaluate(q, v)
    return tree


def test_twists_are_the_velocities_of_carried_points(tree, state):
    q, v = state
    point = np.array([0.2, -0.3, 0.5])  # in the link's frame

    def carried(t):
        evaluated(tree, displaced(tree.model, q, v, t), v)
        return np.array([p + R @ point for R, p in map(tree_pose, range(tree.model.n_links))])

    def tree_pose(i):
        return link_pose(tree, i)

    measured = (carried(STEP) - carried(-STEP)) / (2.0 * STEP)
    evaluated(tree, q, v)
    for i in range(tree.model.n_links):
        R, p = link_pose(tree, i)
        linear, _ = link_jacobian(tree, i, p + R @ point)
        np.testing.assert_allclose(linear @ v, measured[i], atol=DIFFERENCE * 10.0)


def test_rotations_are_orthonormal(tree, state):
    evaluated(tree, *state)
    for i in range(tree.model.n_links):
        R, _ = link_pose(tree, i)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(R) > 0.0


def test_kinetic_energy_is_the_sum_over_links(tree, state):
    q, v = state
    evaluated(tree, q, v)
    total = 0.0
    for i in range(tree.model.n_links):
        _, linear, angular, inertia = com_jacobians(tree, i)
        velocity, omega = linear @ v, angular @ v
        total += 0.5 * tree.model.link_mass[i] * velocity @ velocity + 0.5 * omega @ inertia @ omega
    assert 0.5 * v @ tree.M @ v == pytest.approx(total, rel=1e-13)


def test_mass_matrix_is_symmetric_and_positive_definite(tree, state):
    evaluated(tree, *state)
    # To rounding: iDynTree rotates its base block from both sides.
    np.testing.assert_allclose(tree.M, tree.M.T, atol=1e-15 * np.abs(tree.M).max())
    assert np.linalg.eigvalsh(tree.M)[0] > 0.0


def test_bias_is_the_rate_of_momentum_at_constant_velocity(tree, state):
    """``h = sum_i J_i' [d/dt (m v) - m g; d/dt (I w)]`` with a = 0 (Newton and Euler)."""
    q, v = state

    def momenta(t):
        evaluated(tree, displaced(tree.model, q, v, t), v)
        out = []
        for i in range(tree.model.n_links):
            _, linear, angular, inertia = com_jacobians(tree, i)
            out.append([tree.model.link_mass[i] * linear @ v, inertia @ angular @ v])
        return np.array(out)

    rates = (momenta(STEP) - momenta(-STEP)) / (2.0 * STEP)
    evaluated(tree, q, v)
    expected = np.zeros(tree.model.nv)
    for i, (force, moment) in enumerate(rates):
        _, linear, angular, _ = com_jacobians(tree, i)
        expected += linear.T @ (force - tree.model.link_mass[i] * TILTED) + angular.T @ moment
    assert np.abs(tree.h - expected).max() <= DIFFERENCE * np.abs(expected).max()


def test_bias_at_rest_is_the_weight_of_the_links(tree, state):
    q, v = state
    evaluated(tree, q, 0.0 * v)
    expected = np.zeros(tree.model.nv)
    for i in range(tree.model.n_links):
        _, linear, _, _ = com_jacobians(tree, i)
        expected -= linear.T @ (tree.model.link_mass[i] * TILTED)
    np.testing.assert_allclose(tree.h, expected, rtol=1e-12, atol=1e-12)


def test_coriolis_forces_do_no_work(tree, state):
    """``v' (h(q, v) - h(q, 0)) = 1/2 v' (dM/dt) v``: kinetic energy changes by forces alone."""
    q, v = state
    before = evaluated(tree, displaced(tree.model, q, v, -STEP), v).M.copy()
    after = evaluated(tree, displaced(tree.model, q, v, STEP), v).M.copy()
    weight = evaluated(tree, q, 0.0 * v).h.copy()
    power = v @ (evaluated(tree, q, v).h - weight)
    assert power == pytest.approx(0.5 * v @ (after - before) @ v / (2.0 * STEP), rel=1e-7, abs=1e-7)


def test_velocity_is_in_the_base_frame(loaded):
    """Turning the whole robot with gravity changes neither M nor h."""
    tree = loaded.load(source("floating", gravity=np.zeros(3)))
    q, v = random_state(tree.model, 4)
    first = evaluated(tree, q, v)
    M, h = first.M.copy(), first.h.copy()
    q[:7] = [5.0, -6.0, 7.0, 0.5, 0.5, -0.5, 0.5]
    evaluated(tree, q, v)
    np.testing.assert_allclose(tree.M, M, atol=1e-13)
    np.testing.assert_allclose(tree.h, h, atol=1e-12)


@pytest.mark.parametrize("base", BASES)
def test_icub_kinetic_energy_is_the_sum_over_links(loaded, base):
    tree = loaded.load(icub_source(base))
    q, v = random_state(tree.model, 5)
    evaluated(tree, q, v)
    total = 0.0
    for i in range(tree.model.n_links):
        _, linear, angular, inertia = com_jacobians(tree, i)
        velocity, omega = linear @ v, angular @ v
        total += 0.5 * tree.model.link_mass[i] * velocity @ velocity + 0.5 * omega @ inertia @ omega
    assert 0.5 * v @ tree.M @ v == pytest.approx(total, rel=1e-12)

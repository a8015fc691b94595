"""The soft law: how deep things sink, how fast they creep, and what it tells of its events."""

import numpy as np
import pytest

import footfall
from footfall.errors import SceneError, SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall_check.kit.bench import GRAVITY, UP, advance, settle
from footfall_check.kit.contact.simulated import resting
from footfall_small_laws.regularized import Regularized, RegularizedConfig


def law(**settings):
    return Regularized(RegularizedConfig(**settings))


def states(n=200):
    """Points about the ground at all sorts of velocities, some of them slow along it."""
    rng = np.random.default_rng(0)
    velocity = rng.normal(size=(n, 3)) * np.array([0.01, 0.01, 1.0])
    return ContactProblem.from_dense(
        np.eye(3 * n), velocity.ravel(), rng.uniform(0.1, 0.9, n), gap=rng.normal(size=n) * 1e-2
    )


def forces(problem, regularized):
    out = np.full(problem.n_rows, np.nan)
    regularized.force(problem, {}, {}, out)
    return out.reshape(-1, 3)


def test_a_body_rests_as_deep_as_the_law_says():
    regularized = law(stiffness=3e4)
    sim = resting(regularized, UP)
    settle(sim, 3000, still=1e-12)
    depth = -sim.world.candidates.gap[:4]
    np.testing.assert_allclose(depth, GRAVITY / 4 / 3e4, rtol=1e-6)
    assert regularized.rest_depth(GRAVITY / 4) == pytest.approx(GRAVITY / 4 / 3e4)
    energy = regularized.stored_energy(sim.stepper.problem, {})
    assert energy == pytest.approx(0.5 * GRAVITY**2 / 4 / 3e4, rel=1e-6)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_it_creeps_in_proportion_to_the_pull(part):
    """At ``v_s F / (mu m g)``: nothing sticks."""
    sim = resting(law(slip_speed=0.02), UP, 0.5)
    sim.stepper.world.topology.gravity[0] = part * 0.5 * GRAVITY
    advance(sim, 1000)
    start = sim.q[0]
    advance(sim, 1000)
    assert sim.q[0] - start == pytest.approx(part * 0.02, rel=1e-3)


def test_forces_push_within_the_cone_against_the_slip():
    problem = states()
    f, u = forces(problem, law()), problem.velocity.reshape(-1, 3)
    size, slip = np.hypot(f[:, 0], f[:, 1]), np.hypot(u[:, 0], u[:, 1])
    assert (f[:, 2] >= 0.0).all()
    assert (f[problem.gap > 0.0] == 0.0).all()
    np.testing.assert_allclose(size, problem.mu * f[:, 2] * np.minimum(slip / 0.01, 1.0))
    np.testing.assert_allclose(-(f * u)[:, :2].sum(axis=1), size * slip, atol=1e-12)


def test_its_events_have_the_signs_of_its_forces():
    problem, regularized = states(), law()
    f, u = forces(problem, regularized), problem.velocity.reshape(-1, 3)
    out = np.full((200, 2), -1.0)
    regularized.switching(problem, {}, out)
    np.testing.assert_array_equal(out[:, 0] > 0.0, f[:, 2] > 0.0)
    np.testing.assert_array_equal(out[:, 1] > 0.0, np.hypot(u[:, 0], u[:, 1]) > 0.01)
    assert (f[:, 2] > 0.0).any()
    assert (f[:, 2] == 0.0).any()


def test_contact_ends_where_the_damper_would_pull():
    regularized = law(stiffness=1e4, damping=100.0)
    for speed, pushes in ((0.099, True), (0.101, False)):
        problem = ContactProblem.from_dense(
            np.eye(3), np.array([0.0, 0.0, speed]), np.array([0.5]), gap=np.array([-1e-3])
        )
        out = np.zeros((1, 2))
        regularized.switching(problem, {}, out)
        assert (forces(problem, regularized)[0, 2] > 0.0) == pushes == (out[0, 0] > 0.0)


def test_what_is_not_finite_is_refused_by_name():
    problem = states(3)
    problem.arrays.velocity[4] = np.nan
    with pytest.raises(SolverError, match="regularized: the contact problem is not finite"):
        forces(problem, law())


@pytest.mark.parametrize("key", ["stiffness", "slip_speed"])
def test_settings_out_of_range_are_refused(key):
    with pytest.raises(SceneError, match=f"contact.{key}.*0"):
        footfall.load("cube/drop", {"contact.plugin": "regularized", f"contact.{key}": 0.0})


@pytest.mark.parametrize("name", ["regularized", "ccp"])
def test_restitution_is_refused_with_the_laws_that_have_it(name):
    with pytest.raises(SceneError) as error:
        footfall.load("ball/bounce", {"contact.plugin": name})
    text = str(error.value)
    assert f'contact "{name}" cannot do restitution' in text
    assert "ground's restitution is 0.5" in text
    for able in ("bisection", "coulomb", "lcp"):
        assert able in text.split("plugins that can:")[1]

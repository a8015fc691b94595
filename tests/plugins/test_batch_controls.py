"""Knots and feedback of rollouts: what the kernel commands is what NumPy says."""

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.errors import SimulationError

SCENES = "quadruped/standing", "cube/stack", "rrbot/swing"
"""A floating base with joints, bodies without joints, a fixed base."""


def start(batch):
    return np.concatenate([batch.q[0], batch.v[0]])


@pytest.mark.parametrize("scene", SCENES)
def test_feedback_is_gains_times_the_difference_on_the_manifold(scene):
    """Rotations of up to pi and beyond; references of all runs, or of each."""
    n, samples, rng = 3, 5, np.random.default_rng(0)
    with footfall.Batch(scene, n) as batch:
        sim, x0, wide = footfall.load(scene), start(batch), 2 * batch.v.shape[1]
        controls = rng.normal(0.0, 1.0, (n, samples, batch.nu))
        for shape in ((), (n,)):
            moved = rng.normal(0.0, 1.0, (*shape, samples + 1, wide))
            moved[..., 1, :] *= 1e-5  # a logarithm by its series
            reference = footfall.integrate(sim, x0, moved)
            gains = rng.normal(0.0, 1.0, (*shape, samples, batch.nu, wide))
            found = batch.rollout(x0, controls, 2, gains=gains, reference=reference)
            before = np.concatenate([np.tile(x0, (n, 1, 1)), found.states[:, :-1]], axis=1)
            dx = footfall.difference(sim, reference[..., :-1, :], before)
            expected = controls + (gains @ dx[..., None])[..., 0]
            np.testing.assert_allclose(found.controls, expected, 1e-11, 1e-10)
            again = batch.rollout(x0, found.controls, 2)
            np.testing.assert_array_equal(again.states, found.states)


def test_feedback_balances_a_pole_that_falls_without():
    with footfall.Batch("rrbot/swing", 2) as batch:
        sim = footfall.load("rrbot/swing")
        up = np.array([np.pi, 0.0, 0.0, 0.0])  # both links above their joint
        gains = np.hstack([np.diag([-400.0, -200.0]), np.diag([-60.0, -30.0])])
        x0 = footfall.integrate(sim, up, [0.05, -0.05, 0.0, 0.0])
        zero, T = np.zeros((2, 400, 2)), 400
        fallen = batch.rollout(x0, zero, 5).states[0, -1]
        kept = batch.rollout(
            x0, zero, 5, gains=np.tile(gains, (T, 1, 1)), reference=np.tile(up, (T + 1, 1))
        ).states[0, -1]
        assert abs(kept - up).max() < 1e-3 < abs(fallen - up).max()


@pytest.mark.parametrize("kind", ["zero", "linear", "cubic"])
@pytest.mark.parametrize("even", [True, False])
def test_knots_meet_their_values_and_reproduce_their_polynomials(kind, even):
    """Linear knots reproduce lines, cubic ones parabolas, zero ones hold."""
    T, dt, rng = 41, 3 * 0.001, np.random.default_rng(1)
    places = np.linspace(0, T - 1, 6).round().astype(int)
    places = places if even else np.array([0, 3, 12, 14, 30, 40])
    degree = ("zero", "linear", "cubic").index(kind)
    with footfall.Batch("quadruped/standing", 2) as batch:
        of = rng.normal(0.0, 1.0, (2, batch.nu, degree + 1))
        times = np.arange(T) / T
        powers = times[:, None] ** np.arange(degree + 1)
        exact = np.einsum("nuk,tk->ntu", of, powers)
        options = {"horizon": T, "interpolation": kind, "knots": places * dt}
        if even and kind != "zero":
            options.pop("knots")
        found = batch.rollout(start(batch), exact[:, places], 3, **options).controls
        assert found.shape == (2, T, batch.nu)
        np.testing.assert_allclose(found[:, places], exact[:, places], 0.0, 1e-13)
        np.testing.assert_allclose(found, exact, 0.0, 1e-12)
        values = rng.normal(0.0, 1.0, (2, 6, batch.nu))
        held = batch.rollout(start(batch), values, 3, horizon=T, knots=places * dt).controls
        owner = np.searchsorted(places, np.arange(T), "right") - 1
        np.testing.assert_array_equal(held, values[:, owner])


def test_evenly_held_knots_are_controls_of_as_many_steps():
    with footfall.Batch("quadruped/standing", 2) as batch:
        tau = np.random.default_rng(2).normal(0.0, 5.0, (2, 4, batch.nu))
        x0 = start(batch)
        few = batch.rollout(x0, tau, 6).states
        many = batch.rollout(x0, tau, 2, horizon=12).states
        np.testing.assert_array_equal(few, many[:, 2::3])


def test_torques_beyond_a_drive_are_clipped_as_in_a_step():
    with footfall.Batch("quadruped/standing", 1, outputs="tau") as batch:
        sim = footfall.load("quadruped/standing")
        tau = np.full((1, 2, batch.nu), 1e4)
        _, applied = batch.rollout(start(batch), tau, interpolation="linear", horizon=3)
        sim.step(tau[0, 0])
        np.testing.assert_array_equal(applied[0, 0], sim.signal("tau"))
        assert abs(applied).max() < 1e3


@each(
    ("given", "said"),
    [
        ({"horizon": 0}, "horizon must be a whole number of 1 or more, got 0"),
        ({"horizon": 2}, "controls: 3 knots for a horizon of 2 controls"),
        ({"knots": [0.0, 0.001, 0.02], "horizon": 9}, "must rise and lie within the horizon"),
        ({"knots": [0.0, 0.002, 0.001], "horizon": 9}, "must rise and lie within the horizon"),
        ({"knots": [0.0, np.nan, 0.001], "horizon": 9}, "knots: not finite in place 1"),
        ({"knots": [0.0, 0.001]}, "knots has shape (2,), expected (3,)"),
        ({"interpolation": "spline"}, "interpolation must be zero, linear or cubic"),
        ({"gains": np.zeros((3, 2, 4))}, "gains and reference: give both or none"),
        (
            {"gains": np.zeros((3, 2, 3)), "reference": np.zeros((4, 4))},
            "gains has shape (3, 2, 3)",
        ),
        ({"gains": np.zeros((3, 2, 4)), "reference": np.zeros((3, 4))}, "expected (4, 4)"),
        ({"gains": np.full((3, 2, 4), np.nan), "reference": np.zeros((4, 4))}, "gains: not finite"),
        ({"controls": 3, "horizon": 5}, "controls: knots, a horizon and gains need torques"),
        ({"x0": [[1.0, 2.0], [3.0]]}, "x0: not an array of numbers"),
        ({"gains": [[1.0], [2.0, 3.0]], "reference": np.zeros((4, 4))}, "gains: not an array"),
        ({"x0": np.zeros(5)}, "x0 has shape (5,), expected (4,)"),
        ({"x0": np.full(4, np.nan)}, "x0: not finite in run 0"),
        ({"controls": np.full((2, 3, 2), np.nan)}, "controls: not finite in run 0"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(given, said):
    with footfall.Batch("rrbot/swing", 2) as batch:
        before = batch.q.copy()
        with pytest.raises(SimulationError) as error:
            batch.rollout(**{"x0": np.zeros(4), "controls": np.zeros((2, 3, 2)), **given})
        assert said in str(error.value)
        assert "\n" not in str(error.value)
        np.testing.assert_array_equal(batch.q, before)


def test_a_reference_that_is_no_rotation_is_refused():
    with footfall.Batch("quadruped/standing", 2) as batch:
        reference = np.tile(start(batch), (2, 1))
        reference[0, 3:7] *= 2.0
        gains = np.zeros((1, batch.nu, 2 * batch.v.shape[1]))
        with pytest.raises(SimulationError, match=r"reference\[0, 3:7\] is a quaternion"):
            batch.rollout(
                start(batch), np.zeros((2, 1, batch.nu)), gains=gains, reference=reference
            )

"""Torque-free rotation of an asymmetric body (Landau and Lifshitz, Mechanics, section 37)."""

import numpy as np
import pytest
from scipy.special import ellipk
from tests.physics.composed import Shape, rigid_model, simulator, world_velocity

INERTIA = np.array([0.010, 0.018, 0.025])
"""Principal moments I1 < I2 < I3, [kg m^2]."""
START = np.array([2.0, 0.0, 5.0])
"""Angular velocity in the body frame, [rad/s]: L^2 > 2 E I2, so it circles the third axis."""


def period():
    """Return the period of the angular velocity: ``4 K(m) sqrt(I1 I2 I3 / ...)`` (37.12)."""
    I1, I2, I3 = INERTIA
    twice_energy, square = INERTIA @ START**2, INERTIA**2 @ START**2
    m = (I2 - I1) * (twice_energy * I3 - square) / ((I3 - I2) * (square - twice_energy * I1))
    return 4.0 * ellipk(m) * np.sqrt(I1 * I2 * I3 / ((I3 - I2) * (square - twice_energy * I1)))


def tumble(dt):
    """Return the angular velocity in the body frame over 3.3 periods, (n, 3)."""
    shape = Shape(rigid_model(1.0, INERTIA), [])
    sim = simulator(shape.at((0, 0, 0), angular=START), dt=dt, gravity=np.zeros(3))
    history = [sim.v[3:].copy()]
    for _ in range(round(3.3 * period() / dt)):
        sim.step()
        history.append(sim.v[3:].copy())
    return np.array(history)


def measured_period(w, dt):
    """Return the mean time between rising zeros of the second component, by interpolation."""
    x = w[1:, 1]
    rising = np.flatnonzero((x[:-1] <= 0.0) & (x[1:] > 0.0))
    times = (rising + x[rising] / (x[rising] - x[rising + 1])) * dt
    return np.diff(times).mean()


@pytest.fixture(scope="module")
def runs():
    return {dt: tumble(dt) for dt in (2e-3, 1e-3)}


def test_the_period_is_that_of_the_elliptic_integral(runs):
    """A first-order scheme at 1 ms is off by about dt/T = 6e-4 at most; halving must help."""
    coarse, fine = (abs(measured_period(w, dt) / period() - 1.0) for dt, w in runs.items())
    assert fine < 1e-3 / period()
    assert fine < 0.6 * coarse


def drift(w, invariant):
    values = invariant(w)
    return np.abs(values / values[0] - 1.0).max()


@pytest.mark.parametrize(
    "invariant",
    [lambda w: w**2 @ INERTIA, lambda w: np.linalg.norm(w * INERTIA, axis=1)],
    ids=["energy", "norm of angular momentum"],
)
def test_invariants_drift_by_the_first_order_of_the_scheme(runs, invariant):
    coarse, fine = (drift(w, invariant) for w in runs.values())
    assert coarse / fine == pytest.approx(2.0, abs=0.2)
    # The gyroscopic term is explicit: a relative growth of at most dt w^2 T / 2 over the run.
    assert fine < 0.5 * 1e-3 * (START @ START) * 3.3 * period()


def test_a_spin_about_a_principal_axis_stays():
    shape = Shape(rigid_model(1.0, INERTIA), [])
    spin = np.array([0.0, 0.0, 7.0])
    sim = simulator(shape.at((0, 0, 0), angular=spin), gravity=np.zeros(3))
    for _ in range(1000):
        sim.step()
    np.testing.assert_allclose(sim.v[3:], spin, atol=1e-13)


def test_a_sphere_keeps_any_spin():
    """With equal moments there is no gyroscopic term: the angular velocity is constant."""
    shape = Shape(rigid_model(1.0, np.full(3, 0.01)), [])
    sim = simulator(shape.at((0, 0, 0), angular=(1.0, -2.0, 3.0)), gravity=np.zeros(3))
    for _ in range(1000):
        sim.step()
    np.testing.assert_allclose(world_velocity(sim)[3:], (1.0, -2.0, 3.0), atol=1e-12)

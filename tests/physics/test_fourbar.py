"""A planar four-bar linkage, closed by three rows of which one says nothing."""

import numpy as np
import pytest
from tests.physics import linkage

import footfall

SCENE = "fourbar/swinging"
IN_CONTINUOUS_TIME = {"contact.plugin": "compliant", "integrator.plugin": "dormand_prince"}


def angles(q):
    """Return t2, t3, t4 of positions, (..., 3)."""
    return np.stack([q[..., 0], q[..., 0] + q[..., 1], q[..., 2]], axis=-1)


def run(duration, **overrides):
    return footfall.load(SCENE, overrides=overrides).run(duration)


@pytest.fixture(scope="module")
def stepped():
    return run(10.0)


def test_every_recorded_posture_satisfies_freudensteins_equation(stepped):
    """``d/a cos t4 - d/c cos t2 + (a^2 - b^2 + c^2 + d^2) / (2 a c) = cos(t2 - t4)``.

    Freudenstein (1954), with angles from the line of the pivots. A gap g changes its terms by less
    than ``2 b g / (2 a c)``, which is 7e-9 for 1e-9 m.
    """
    a, b, c, d = linkage.A, linkage.B, linkage.C, linkage.D
    t2, _, t4 = angles(stepped.q.values).T
    left = d / a * np.cos(t4) - d / c * np.cos(t2) + (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
    assert np.ptp(t2) > 5.0
    np.testing.assert_allclose(left, np.cos(t2 - t4), atol=1e-8)


def test_the_gap_stays_at_its_tolerance_for_a_minute():
    recorded = run(60.0)
    assert np.abs(recorded.loop_gap.values).max() <= 1.1e-9


def test_the_effective_rank_is_two_of_three(stepped):
    assert (stepped.loop_rank.values == 2).all()
    assert stepped.sizes["loop"] == 3
    # Across its plane nothing has to hold.
    assert (np.abs(stepped.loop_force.values[:, 1]) < 1e-9).all()


def test_energies_are_accounted_for(stepped):
    """To rounding; closing gaps takes less than 1e-4 of the 2.9 J that swing."""
    energy = stepped.kinetic_energy + stepped.potential_energy
    booked = stepped.work - stepped.dissipated_energy + stepped.integration_energy_error
    np.testing.assert_allclose(energy - energy[0], booked, atol=1e-11)
    assert np.abs(stepped.loop_energy_error.values).max() < 1e-4 * 2.9
    assert np.abs(stepped.dissipated_energy.values).max() < 1e-3


@pytest.mark.long
def test_in_continuous_time_it_follows_its_reduced_equation_for_ten_seconds():
    """``I t2'' + 1/2 dI/dt2 t2'^2 + dV/dt2 = 0``; tolerance: 10 s of errors of 1e-9 a step."""
    recorded = run(10.0, **IN_CONTINUOUS_TIME)
    found = angles(recorded.q.values)
    expected = linkage.swing(found[0], 10.0)(recorded.time.values)[[0, 2, 3]].T
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_in_steps_it_converges_to_it_with_first_order():
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        recorded = run(1.0, **{"simulation.time_step": dt})
        found = angles(recorded.q.values)
        expected = linkage.swing(found[0], 1.0)(recorded.time.values)[[0, 2, 3]].T
        errors.append(np.abs(found - expected).max())
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 2.0, rtol=0.05)
    assert errors[-1] < 0.02


def test_the_recorded_force_drives_the_rocker():
    """Of the rocker alone: ``(I + m c^2/4) t4'' = tip x force - m g c/2 cos t4``.

    Forces are along the coupler's axes, on the rocker. In continuous time, where they are those of
    the instant; t4'' by central differences of the recorded velocity.
    """
    recorded = run(1.0, **IN_CONTINUOUS_TIME, **{"simulation.time_step": 2.5e-4})
    t3, t4 = angles(recorded.q.values)[:, 1:].T
    x, _, z = recorded.loop_force.values.T
    # The coupler's x axis is along it, z to its left.
    force_x, force_z = x * np.cos(t3) - z * np.sin(t3), x * np.sin(t3) + z * np.cos(t3)
    moment = linkage.C * (np.cos(t4) * force_z - np.sin(t4) * force_x)
    inertia = linkage.INERTIA[2] + linkage.MASS[2] * linkage.C**2 / 4
    moment -= linkage.MASS[2] * linkage.G * linkage.C / 2 * np.cos(t4)
    rate = np.gradient(recorded.v.values[:, 2], recorded.time.values)
    np.testing.assert_allclose(inertia * rate[1:-1], moment[1:-1], atol=5e-4)

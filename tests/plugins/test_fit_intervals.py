"""Intervals of fits hold the values of closed forms, whose rows know no time step."""

import numpy as np
import pytest
from tests.cases import first

import footfall

G = 9.81
ROD = 0.25 + 0.0834333333333
"""Inertia of the pendulum about its hinge, [kg m^2]."""
HINGE = "bodies.pendulum.actuators"
WEIGHTLESS = {"world.gravity": [0.0, 0.0, 0.0]}
TIMES = np.linspace(0.0, 0.5, 51)


def free(t, x=0.0, z=0.05, vx=0.0, vz=0.0):
    """Return rows of a body that moves without turning."""
    rows, one = np.zeros((len(t), 7)), np.ones_like(t)
    rows[:, 0], rows[:, 2], rows[:, 6] = x * one, z * one, 1.0
    v = np.zeros((len(t), 6))
    v[:, 0], v[:, 2] = vx, vz
    return rows, v


def sliding(mu):
    return free(TIMES, 3.0 * TIMES - 0.5 * mu * G * TIMES**2, vx=3.0 - mu * G * TIMES)


def falling(g):
    return free(TIMES, z=2.0 + 0.5 * g * TIMES**2, vz=g * TIMES)


def bouncing(e):
    """Return a ball of radius 0.1 m that falls from 1 m, to the middle of its first bounce."""
    t, down = np.linspace(0.0, 0.7, 71), np.sqrt(2.0 / G)
    after = t - down
    up = e * G * down
    is_down = after < 0.0
    z = np.where(is_down, 1.1 - 0.5 * G * t**2, 0.1 + up * after - 0.5 * G * after**2)
    return free(t, z=z, vz=np.where(is_down, -G * t, up - G * after))


def damped(d):
    """Return a hinge that slows down without weight: ``v = v_0 exp(-d t / I)``."""
    rate = d / ROD
    return (3.0 / rate * (1.0 - np.exp(-rate * TIMES)))[:, None], (3.0 * np.exp(-rate * TIMES))[
        :, None
    ]


def sprung(k):
    """Return a hinge with a spring, without weight: ``q = cos(w t)``, ``w^2 = k / I``."""
    w = np.sqrt(k / ROD)
    return np.cos(w * TIMES)[:, None], (-w * np.sin(w * TIMES))[:, None]


CASES = {
    "spring": (
        *(sprung, 7.0, "pendulum/swing", f"{HINGE}.0.stiffness", [0]),
        {
            HINGE: [{"plugin": "parallel_elastic", "joints": ["hinge"], "stiffness": 9.0}],
            **WEIGHTLESS,
        },
    ),
    "sliding": (sliding, 0.31, "cube/sliding", "bodies.cube.friction", [0], {}),
    "falling": (falling, -9.6, "cube/drop", "world.gravity.2", [2], {}),
    "bounce": (bouncing, 0.55, "ball/bounce", "world.terrain.restitution", [2], {}),
    "damping": (
        *(damped, 0.27, "pendulum/swing", f"{HINGE}.0.viscous_friction", [0]),
        {HINGE: [{"joints": ["hinge"], "viscous_friction": 0.4}], **WEIGHTLESS},
    ),
}


def fitted(case, seed, noise=1e-3, **changes):
    """Return the true value, the estimate and the fit of a noisy closed form."""
    form, true, scene, key, noisy, given = CASES[case]
    q, v = form(true)
    q[:, noisy] += np.random.default_rng(seed).normal(0.0, noise, (len(q), len(noisy)))
    rows = {"time": 0.01 * np.arange(len(q)), "q": q, "v": v}
    size = {"position" if q.shape[1] > 1 else "joint_position": 1e-3}
    how = {"residuals": size, "gradients": "differences"}
    found = footfall.fit(scene, [rows], [key], overrides={**given, **changes}, **how)
    return true, found.parameters[key], found


def covered(case, seeds):
    """Return the number of seeds whose interval holds the true value."""
    found = [fitted(case, seed)[:2] for seed in range(seeds)]
    return sum(one.interval[0] <= true <= one.interval[1] for true, one in found)


@pytest.mark.parametrize("case", first(*CASES))
def test_intervals_hold_the_closed_form(case):
    assert covered(case, 5) >= 4


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_intervals_of_95_percent_hold_the_closed_form_for_95_percent_of_seeds(case):
    """Of 40 seeds at least 35: of 95 % fewer are found in one of 60 trials."""
    assert covered(case, 40) >= 35


def test_the_error_of_the_step_is_that_of_the_scheme_and_told():
    """Positions ``v_0 t - mu g t (t + dt) / 2`` against ``v_0 t - mu g t^2 / 2``."""
    true, one, found = fitted("sliding", 0)
    mine = TIMES * (TIMES + 1e-3)
    bias = true * (1.0 - mine @ TIMES**2 / (mine @ mine))
    assert one.step == pytest.approx(bias, rel=0.01)
    assert one.interval[0] < one.value < one.value + one.step < one.interval[1]
    assert f", of which step {one.step:.2g}" in str(found)
    assert found.tables()["laws"][0]["estimates"][0]["step"] == one.step


def test_a_second_order_integrator_widens_no_interval():
    true, one, _ = fitted("sliding", 0, **{"integrator.plugin": "moreau_midpoint"})
    low, high = one.interval
    assert low < true < high
    assert abs(one.step) < 0.01 * (high - low)

"""Step halving: the declared first order, against closed forms and another integrator."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj
from tests.physics.composed import G

from footfall import Batch, load

INTEGRATORS = ("semi_implicit_euler", "explicit_euler")
DURATION = 1.0
RATIO = pytest.approx(2.0, abs=0.1)
"""Of the errors at two steps of which one is half the other, for a scheme of first order."""


def pendulum_angle(t):
    """Return ``2 asin(k cd(w t, k))``: a pendulum released at rest (Landau, Mechanics, p. 26).

    A rod of 1 kg with its mass centre 0.5 m below the hinge, 0.3334333 kg m^2 about the hinge.
    """
    start = np.radians(70.0)
    w = np.sqrt(1.0 * G * 0.5 / (0.0834333333333 + 0.25))
    k = np.sin(start / 2.0)
    _, cn, dn, _ = ellipj(w * t, k * k)
    return 2.0 * np.arcsin(k * cn / dn)


def end_of(scene, dt, integrator, **overrides):
    """Return q and v after the duration; the law must suit the scheme, and has nothing to do."""
    law = "coulomb" if integrator == "semi_implicit_euler" else "gauss_discrete"
    chosen = {"simulation.time_step": dt, "integrator.plugin": integrator, "contact.plugin": law}
    sim = load(scene, chosen | overrides)
    sim.record(DURATION)
    return np.concatenate([sim.q, sim.v])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_pendulum_converges_to_its_elliptic_integral(integrator):
    exact = pendulum_angle(DURATION)
    errors = [end_of("pendulum/swing", dt, integrator)[0] - exact for dt in (1e-3, 5e-4, 2.5e-4)]
    assert errors[0] / errors[1] == RATIO
    assert errors[1] / errors[2] == RATIO
    # theta'' dt T / 2 with theta'' up to 14 rad/s^2.
    assert abs(errors[0]) < 14.0 * 1e-3 * DURATION


def reference(scene):
    """Integrate a fixed-base robot with viscous joints to 1e-12, on the M and h of its engine."""
    sim = load(scene)
    (body,), n = sim.world.bodies, sim.world.nv
    tree, damping, armature = body.tree, body.damping, np.diag(body.armature)

    def rate(_, y):
        tree.evaluate(y[:n].copy(), y[n:].copy())
        return np.concatenate(
            [y[n:], np.linalg.solve(tree.M + armature, -tree.h - damping * y[n:])]
        )

    start = np.concatenate([sim.q, sim.v])
    return solve_ivp(rate, (0.0, DURATION), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_damped_double_pendulum_converges_to_another_integrator(integrator):
    exact = reference("rrbot/swing")
    errors = [
        np.linalg.norm(end_of("rrbot/swing", dt, integrator) - exact) for dt in (5e-4, 2.5e-4)
    ]
    assert errors[0] / errors[1] == RATIO
    assert errors[1] < 2.5e-4 * 50.0


def test_a_driven_robot_converges_between_events():
    """The humanoid's implicit gains are of first order too: three steps, two differences.

    It hangs in the air: no event disturbs the comparison. Its gains move it from its posture.
    """
    ends = [
        end_of(
            "humanoid/standing",
            dt,
            "semi_implicit_euler",
            **{
                "bodies.humanoid.base_position": [0.0, 0.0, 20.0],
                "bodies.humanoid.base_angular_velocity": [0.5, 0.3, -0.4],
                "bodies.humanoid.controller.target": {"*_elbow": -1.0, "*_knee": 0.8},
            },
        )[7:37]
        for dt in (1e-3, 5e-4, 2.5e-4)
    ]
    differences = [np.linalg.norm(a - b) for a, b in pairwise(ends)]
    assert differences[0] / differences[1] == pytest.approx(2.0, abs=0.2)


def test_gains_of_an_implicit_posture_are_stable_at_any_stiffness():
    """``(M + dt D + dt^2 K)`` is implicit: 1e6 N m/rad at 1 ms neither shakes nor blows up."""
    sim = load(
        "humanoid/standing",
        {"bodies.humanoid.controller": {"plugin": "posture", "stiffness": 1e6, "damping": 1e3}},
    )
    posture = sim.q[7:].copy()
    sim.record(0.5)
    assert np.abs(sim.q[7:] - posture).max() < 1e-3
    assert np.abs(sim.v).max() < 1e-2


def landed(dt, splits):
    """Return v of 64 quadrupeds 50 ms after they fall on their feet under random torques."""
    free = {"bodies.quadruped.controller": {"plugin": "zero"}, "bodies.quadruped.actuators": []}
    step = {"simulation.time_step": dt, "simulation.max_impact_splits": splits}
    batch, rng = Batch("quadruped/standing", 64, overrides=free | step), np.random.default_rng(0)
    q, v = np.tile(batch.q[0], (64, 1)), rng.uniform(-1.0, 1.0, (64, batch.v.shape[1]))
    q[:, 2] += rng.uniform(0.0, 0.01, 64)
    v[:, 2] = -abs(v[:, 2])
    torques = rng.uniform(-2.0, 2.0, (64, 50, batch.nu))
    batch.rollout(np.hstack([q, v]), torques.repeat(round(1e-3 / dt), axis=1))
    return batch.v.copy()


@pytest.mark.long
def test_impacts_at_their_times_save_half_the_step():
    """Median errors of velocities against short steps: as small as with steps of half the length.

    A split step takes 1.6 times as long as a whole one, two of half the length take twice as long.
    """
    exact = landed(2e-5, 0)
    whole, half, split = (
        np.median(abs(landed(dt, splits) - exact).max(axis=1))
        for dt, splits in ((1e-3, 0), (5e-4, 0), (1e-3, 4))
    )
    assert split < 0.6 * whole
    assert split < 1.1 * half

"""Belts, shaking tables, elevators and turntables, against closed forms and Galileo."""

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.physics.composed import (
    DOWN,
    UPRIGHT,
    G,
    ball,
    box,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)

from footfall_terrains.moving import Moving, MovingConfig

DT = 1e-3
AMPLITUDE, FREQUENCY = 0.07, 3.0
OMEGA = 2.0 * np.pi * FREQUENCY
"""Of the shaking table: its acceleration reaches 2.5 g."""


def moving(motion, mu=0.5, **settings):
    return Moving(MovingConfig(friction=mu, motion=motion, **settings))


def constant(velocity=(0.0, 0.0, 0.0), turning=(0.0, 0.0, 0.0)):
    return {"kind": "constant", "velocity": tuple(velocity), "angular_velocity": tuple(turning)}


def shaking(amplitude):
    return {"kind": "sine", "frequency": FREQUENCY, "amplitude": (0.0, 0.0, amplitude)}


def ramp(time):
    """Goes up with 2 m/s^2."""
    return [0.0, 0.0, time * time, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("mu", [0.2, 0.5])
@pytest.mark.parametrize("speed", [0.3, 1.0])
def test_a_body_on_a_belt_reaches_its_speed_after_v_over_mu_g(mu, speed):
    """``v = mu g t`` up to the belt's speed, to the law's tolerance a step; then it is carried."""
    terrain = moving(constant((speed, 0.0, 0.0)), mu)
    sim = simulator(box(1.0, (0.2, 0.2, 0.04)).at((0.0, 0.0, 0.02)), terrain=terrain)
    reached = speed / (mu * G)
    while sim.time < reached + 0.1:
        np.testing.assert_allclose(world_velocity(sim)[0], min(mu * G * sim.time, speed), atol=1e-9)
        sim.step()
    # Semi-implicit Euler: the distance of each step at its end's speed.
    behind = speed * sim.time - sim.q[0]
    assert behind == pytest.approx(speed**2 / (2.0 * mu * G), abs=speed * DT)


def test_a_belt_does_twice_the_work_that_the_body_keeps():
    """The belt's force ``mu m g`` over its own way is m v^2; half of it is lost in sliding."""
    sim = simulator(
        box(2.0, (0.2, 0.2, 0.04)).at((0.0, 0.0, 0.02)),
        terrain=moving(constant((1.0, 0.0, 0.0))),
    )
    steps(sim, 300)
    assert sim.signal("work") == pytest.approx(2.0, abs=1e-9)
    assert sim.signal("dissipated_energy") == pytest.approx(1.0, abs=1e-9)
    assert sim.signal("kinetic_energy") == pytest.approx(1.0, abs=1e-9)


def test_a_body_leaves_a_shaking_table_when_that_falls_faster_than_g():
    """It leaves when ``A w^2 sin(w t) = g``, flies, and lands where the parabola meets the sine."""
    start = (0.0, 0.0, AMPLITUDE * OMEGA)
    sim = simulator(box().at((0.0, 0.0, 0.05), linear=start), terrain=moving(shaking(AMPLITUDE)))
    held = []
    while sim.time < 0.34:
        sim.step()
        held.append(sim.signal("contact_force")[:, 2].sum() > 0.0)
    leaves = np.arcsin(G / (AMPLITUDE * OMEGA**2)) / OMEGA
    z, v = AMPLITUDE * np.sin(OMEGA * leaves), AMPLITUDE * OMEGA * np.cos(OMEGA * leaves)

    def height(t):
        return z + v * (t - leaves) - 0.5 * G * (t - leaves) ** 2 - AMPLITUDE * np.sin(OMEGA * t)

    lands = brentq(height, leaves + 0.05, leaves + 0.3)
    away = np.flatnonzero(~np.array(held)) * DT
    assert away[0] == pytest.approx(leaves, abs=DT)
    assert away[-1] + DT == pytest.approx(lands, abs=2.0 * DT)
    assert not np.array(held)[round(leaves / DT) + 1 : round(lands / DT) - 1].any()


def test_a_body_stays_on_a_table_that_never_falls_faster_than_g():
    """Its gap stays below the error of the table's path in a step, ``w^3 A dt^3 / 24``."""
    amplitude = 0.9 * G / OMEGA**2
    start = (0.0, 0.0, amplitude * OMEGA)
    sim = simulator(box().at((0.0, 0.0, 0.05), linear=start), terrain=moving(shaking(amplitude)))
    for _ in range(700):
        sim.step()
        assert sim.signal("contact_force")[:, 2].sum() > 0.0
        assert np.abs(sim.signal("gap")[:4]).max() < 1e-5


def test_in_continuous_time_a_body_leaves_a_shaking_table_as_well():
    """With a ground of springs, later by what they need to open: ``(2/3 d / g)^(1/2)``."""
    from footfall_compliant.contact import Compliant
    from footfall_integrators.adaptive import DormandPrince

    law = Compliant(Compliant.Config(stiffness=1e7, damping=1e4))
    integrator = DormandPrince(DormandPrince.Config())
    start = (0.0, 0.0, AMPLITUDE * OMEGA)
    depth = law.rest_depth(G / 4.0)
    sim = simulator(
        box().at((0.0, 0.0, 0.05 - depth), linear=start),
        terrain=moving(shaking(AMPLITUDE)),
        law=law,
        integrator=integrator,
    )
    left = []
    while sim.time < 0.1:
        sim.step()
        left += [event.time for event in sim.stepper.events if event.after == 0]
    leaves = np.arcsin(G / (AMPLITUDE * OMEGA**2)) / OMEGA
    assert len(left) == 4
    assert abs(np.mean(left) - leaves) < np.sqrt(2.0 / 3.0 * depth / G)
    balance = sim.signal("kinetic_energy") + sim.signal("potential_energy")
    assert np.isfinite(balance).all()


def test_an_elevator_carries_with_m_times_g_plus_a():
    motion = {"kind": "function", "function": "tests.physics.test_moving_ground:ramp"}
    sim = simulator(box(3.0).at((0.0, 0.0, 0.05)), terrain=moving(motion))
    steps(sim, 500)
    force = sim.signal("contact_force").sum(axis=0)
    np.testing.assert_allclose(force, [0.0, 0.0, 3.0 * (G + 2.0)], atol=1e-5)
    assert sim.q[2] - 0.05 == pytest.approx(sim.time**2, abs=1e-6)


@pytest.mark.parametrize("turns", [1.0, 1.15])
def test_a_turntable_holds_up_to_mu_g_of_centripetal_acceleration(turns):
    """At radius r it holds a small block up to ``w^2 r = mu g``, and throws it off beyond."""
    mu, radius = 0.5, 0.5
    w = 0.95 * turns * np.sqrt(mu * G / radius)
    terrain = moving(constant(turning=(0.0, 0.0, w)), mu)
    block = box(1.0, (0.02, 0.02, 0.004))
    sim = simulator(
        block.at((radius, 0.0, 0.002), linear=(0.0, w * radius, 0.0), angular=(0.0, 0.0, w)),
        terrain=terrain,
    )
    steps(sim, 1000)
    away = np.hypot(sim.q[0], sim.q[1])
    assert abs(away - radius) < 1e-6 if turns == 1.0 else away > 2.0 * radius


VELOCITY = np.array([0.7, -0.4, 0.3])


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.2, -0.3, 1.0)])
@pytest.mark.parametrize("e", [None, 0.7])
def test_ground_of_constant_velocity_is_still_ground_seen_from_a_train(normal, e):
    """Galileo: in the ground's frame everything happens as on ground that stands still."""
    n = np.array(normal) / np.linalg.norm(normal)
    shape, tilt = box(1.0, (0.1, 0.2, 0.3)), rotation_quaternion((0.3, 0.5, 0.2))
    spin, start = (1.0, 4.0, 2.0), 0.3 * n
    train = moving(constant(VELOCITY), normal=tuple(normal), restitution=e)
    runs = [
        simulator(shape.at(start, tilt, linear=VELOCITY, angular=spin), terrain=train),
        simulator(shape.at(start, tilt, angular=spin), normal=normal, mu=0.5, e=e),
    ]
    for _ in range(4):
        for sim in runs:
            steps(sim, 100)
        there, here = runs
        np.testing.assert_allclose(there.q[:3] - VELOCITY * there.time, here.q[:3], atol=1e-7)
        np.testing.assert_allclose(there.q[3:], here.q[3:], atol=1e-6)


@pytest.mark.parametrize(
    "motion",
    [
        shaking(AMPLITUDE),
        constant((1.0, 0.5, 0.0), (0.0, 0.0, 1.0)),
        {"kind": "sine", "frequency": 1.5, "rotation_amplitude": (0.2, 0.1, 0.0)},
    ],
    ids=["shaken", "belt that turns", "rocked"],
)
@pytest.mark.parametrize("shape", [box(), ball()], ids=["box", "ball"])
def test_the_energy_balance_closes_with_the_work_of_the_ground(motion, shape):
    """``KE + PE = start + work - dissipated + integration error`` to rounding, on every step."""
    sim = simulator(shape.at((0.1, 0.0, 0.15), UPRIGHT, (0.2, 0.0, 0.0)), terrain=moving(motion))
    sim.step()
    start = _balance(sim)
    for _ in range(1000):
        sim.step()
        assert _balance(sim) == pytest.approx(start, abs=1e-11)
    assert abs(sim.signal("work")) > 1e-3


def _balance(sim):
    mechanical = sim.signal("kinetic_energy") + sim.signal("potential_energy")
    spent = sim.signal("work") - sim.signal("dissipated_energy")
    return float(mechanical - spent - sim.signal("integration_energy_error"))


def test_a_ball_bounces_on_a_rising_ground_with_the_relative_speed():
    """Dropped on a ground that rises with u: it leaves with ``e (v + u) + u``."""
    u, e = 0.5, 0.8
    sim = simulator(
        ball().at((0.0, 0.0, 0.6)), terrain=moving(constant((0.0, 0.0, u)), restitution=e)
    )
    before = 0.0
    while (speed := world_velocity(sim)[2]) <= 0.0:
        before = speed
        sim.step()
    # Up to the rest of the step in which it bounces.
    assert speed == pytest.approx(e * (u - before) + u, abs=(1.0 + e) * G * DT)
    assert DOWN[2] == -G

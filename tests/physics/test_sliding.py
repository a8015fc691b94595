"""Sliding, beside the checks of where it stops: its order, its speed, spin, the scene."""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    box,
    rotation_quaternion,
    simulator,
    world_velocity,
)

from footfall import load

MU, DT = 0.5, 1e-3


def slide(speed, direction, dt=DT, shape=None, yaw=0.2):
    """Let a box slide until a tenth of a second after its stop; return it and its lift."""
    half = 0.02
    v0 = speed * np.array([np.cos(direction), np.sin(direction), 0.0])
    shape = shape or box(1.0, (0.2, 0.2, 2 * half))
    sim = simulator(
        shape.at((0, 0, half), rotation_quaternion((0, 0, yaw)), linear=v0), mu=MU, dt=dt
    )
    lift = 0.0
    for _ in range(round((speed / (MU * G) + 0.1) / dt)):
        sim.step()
        lift = max(lift, sim.q[2] - half)
    return sim, lift


def test_the_distance_converges_to_first_order():
    expected = 2.0**2 / (2.0 * MU * G)
    errors = [
        expected - slide(2.0, 0.7, dt)[0].q[:2] @ (np.cos(0.7), np.sin(0.7)) for dt in (DT, DT / 2)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)


def test_it_decelerates_with_mu_g():
    sim, _ = slide(0.0, 0.0)
    sim.v[:3] = (3.0, 0.0, 0.0)
    sim.q[3:7] = (0.0, 0.0, 0.0, 1.0)
    for k in range(1, 300):
        sim.step()
        assert world_velocity(sim)[0] == pytest.approx(3.0 - MU * G * k * DT, abs=1e-9)


def test_the_cube_of_the_scene_stops_after_3_670_m_and_never_rises():
    """The bundled scene: 6 m/s, mu 0.5; within v0 dt / 2 + 0.01 %; no tumble, no hop."""
    sim = load("cube/sliding")
    run = sim.run()
    position = run.base_position.values[:, 0]
    expected = 6.0**2 / (2.0 * 0.5 * G)
    assert expected == pytest.approx(3.670, abs=5e-4)
    assert abs(sim.q[0] - expected) <= 0.5 * 6.0 * 1e-3 + 1e-4 * expected
    assert (position[:, 2] - 0.05).max() < 1e-9
    assert np.abs(position[:, 1]).max() < 1e-9
    assert np.abs(run.base_quaternion.values[:, 0, :3]).max() < 1e-9
    assert np.abs(sim.v).max() < 1e-9


def test_a_spinning_box_stops_spinning_and_sliding_together():
    """A body that spins and slides on friction stops both at the same time (Coulomb's law)."""
    shape = box(1.0, (0.2, 0.2, 0.04))
    sim = simulator(shape.at((0, 0, 0.02), linear=(1.0, 0, 0), angular=(0, 0, 8.0)), mu=MU)
    stop_linear = stop_spin = None
    for _ in range(1000):
        sim.step()
        v = world_velocity(sim)
        if stop_linear is None and np.linalg.norm(v[:2]) < 1e-6:
            stop_linear = sim.time
        if stop_spin is None and abs(v[5]) < 1e-5:
            stop_spin = sim.time
    assert stop_linear is not None
    assert stop_spin is not None
    assert abs(stop_linear - stop_spin) <= 2 * DT


def test_friction_never_speeds_a_box_up():
    sim = simulator(
        box(1.0, (0.2, 0.1, 0.06)).at((0, 0, 0.03), linear=(2, 1, 0), angular=(0, 0, -20)), mu=MU
    )
    energies = []
    for _ in range(600):
        sim.step()
        energies.append(sim.signal("kinetic_energy")[()])
    assert (np.diff(np.array(energies, float)) <= 1e-12).all()

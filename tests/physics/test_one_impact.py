"""One impact, one impulse: where in a step an impact falls decides nothing."""

import numpy as np
import pytest
from tests.physics.composed import Shape, ball, box, simulator, steps, world_velocity
from tests.physics.meeting import Ball, meeting

import footfall
from footfall_stepper.stepping import time_stepping
from footfall_stepper.world.step_arrays import NEVER, RunSum
from footfall_validate.checks.impacts.pendulum_landing import COARSE, _landing, _worst
from footfall_validate.combination import combine
from footfall_validate.lab import Lab
from footfall_validate.rotations import product, rotation_matrix, rotation_quaternion

DT, PHASES = 1e-3, np.linspace(0.0, 0.9, 7)
LINEAR, ANGULAR = np.array([2.0, 0.5, -1.5]), np.array([3.0, -5.0, 2.0])
"""Of bodies that strike, along world axes, [m/s], [rad/s]."""
TILT = rotation_quaternion((0.8, 0.5, 0.1))


@pytest.fixture
def forgets_to_locate(monkeypatch):
    monkeypatch.setattr(time_stepping, "slowest_located", lambda *_: NEVER)


def backwards(q, time):
    """Where a body of isotropic inertia was in free flight a time ago."""
    place = np.array(q[:3]) - time * LINEAR
    return place, product(rotation_quaternion(-time * ANGULAR), np.array(q[3:]))


def corner_strikes(phase, **physics):
    """Return the velocity of a tumbling cube after it has struck with a corner, without gravity."""
    low = (rotation_matrix(TILT) @ box().features[0].position)[2]
    for feature in box().features:
        low = min(low, (rotation_matrix(TILT) @ feature.position)[2])
    place, turn = backwards([0.0, 0.0, -low, *TILT], phase * DT)
    body = box().at(place, turn, LINEAR, ANGULAR)
    sim = simulator(body, mu=0.3, gravity=np.zeros(3), **physics)
    steps(sim, 3)
    return world_velocity(sim), sim


def test_where_a_corner_strikes_in_the_step_decides_nothing():
    found = np.array([corner_strikes(phase)[0] for phase in PHASES])
    assert corner_strikes(0.5)[1].stepper.monitor.run[8] == 1.0
    assert np.abs(found - found[0]).max() < 1e-4 * np.linalg.norm(found[0])


def test_it_would_without_located_impacts(forgets_to_locate):
    found = np.array([corner_strikes(phase)[0] for phase in PHASES])
    assert np.abs(found - found[0]).max() > 1e-2 * np.linalg.norm(found[0])


def spheres_strike(phase):
    """Return the velocity of a body whose eccentric sphere has struck one that is fixed."""
    reach, turn = rotation_matrix(TILT) @ np.array([-0.3, 0.0, 0.0]), TILT
    place, turn = backwards([*(np.array([0.0, 0.0, 0.2]) - reach), *turn], phase * DT)
    body = Shape(box().model, []).at(place, turn, LINEAR, ANGULAR)
    shapes = [Ball("fixed", 0, -1, 0.1, (0.0, 0.0, 0.0), friction=0.3)]
    shapes.append(Ball("moving", 1, 0, 0.1, (-0.3, 0.0, 0.0), friction=0.3))
    sim = meeting([body], shapes, gravity=np.zeros(3), dt=DT)
    steps(sim, 3)
    return world_velocity(sim), sim


def test_nor_does_it_between_bodies():
    found = np.array([spheres_strike(phase)[0] for phase in PHASES])
    sim = spheres_strike(0.5)[1]
    assert sim.stepper.monitor.run[8] == 1.0
    assert np.abs(found - found[0]).max() < 1e-4 * np.linalg.norm(found[0])


def test_the_check_of_the_double_pendulum_sees_a_law_that_acts_twice(forgets_to_locate):
    lab = Lab(combine(footfall.discover(), "coulomb"))
    assert _worst(lab, 0.5, list(_landing(0.5)), COARSE)[0] > 0.1


def test_impacts_of_a_step_are_counted_and_bounded():
    """Six balls come to the ground in one step: four are located, the others come to rest too."""
    bodies = []
    for k in range(6):
        height = 0.1 + (0.1 + 0.15 * k) * 2.0 * DT
        body = ball().at((0.5 * k, 0.0, height), linear=(0.0, 0.0, -2.0), name=f"b{k}")
        bodies.append(body)
    sim = simulator(bodies)
    sim.step()
    assert sim.signal("impact_splits") == 4.0
    assert sim.stepper.monitor.run[10] == 1.0
    steps(sim, 2)
    assert sim.stepper.monitor.run[8] == 4.0
    for k in range(6):
        assert np.abs(world_velocity(sim, k)).max() < 1e-12
    never = simulator(bodies, max_impact_splits=0)
    steps(never, 3)
    assert never.stepper.monitor.run[8:11].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("crowd", [6, 40])
def test_what_bounces_does_so_beside_inelastic_impacts_that_are_left_to_the_law(crowd):
    """A crowd comes down in the first half of a step, a ball that bounces in the second."""
    bodies = []
    for k in range(crowd):
        height = 0.1 + (0.1 + 0.4 * k / crowd) * 2.0 * DT
        body = ball().at((0.5 * k, 0.0, height), linear=(0.0, 0.0, -2.0), name=f"b{k}")
        bodies.append(body)
    bouncing = ball().touching(restitution=1.0)
    bodies.append(bouncing.at((0.0, 2.0, 0.1 + 1.5 * DT), linear=(0.0, 0.0, -2.0), name="up"))
    sim = simulator(bodies, gravity=np.zeros(3))
    steps(sim, 3)
    assert sim.stepper.monitor.run[RunSum.UNRESOLVED] > 0.0
    assert world_velocity(sim, crowd)[2] == pytest.approx(2.0, rel=1e-9)
    for k in range(crowd):
        assert np.abs(world_velocity(sim, k)).max() < 1e-12


def test_what_rests_or_slides_is_never_split():
    for linear in ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)):
        sim = simulator(box().at((0.0, 0.0, 0.05), linear=linear))
        steps(sim, 500)
        assert sim.stepper.monitor.run[8] == 0.0


@pytest.mark.parametrize("impact", ["inelastic", "restitution", "frictional"])
def test_a_start_that_touches_and_approaches_is_an_impact(impact):
    """Under a law that does not stop what approaches a box would sink through the ground."""
    lab = Lab(combine(footfall.discover(), "gauss", impact))
    sim = lab.simulator(box().at((0.0, 0.0, 0.05), linear=(0.3, 0.0, -1.0)))
    sim.step()
    assert sim.signal("impacts") == 1.0
    steps(sim, 200)
    assert sim.q[2] == pytest.approx(0.05, abs=1e-5)

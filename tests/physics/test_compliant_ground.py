"""Closed forms of the compliant ground: penetration, friction, impacts, planar motion."""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import (
    DOWN,
    G,
    Shape,
    ball,
    box,
    laws,
    points,
    rigid_model,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)

import footfall
from footfall.interfaces.terrain import Terrain
from footfall_compliant.contact import Compliant, CompliantConfig
from footfall_compliant.law import ground_contact
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.settings import StepSettings
from footfall_stepper.world.state import own_parts
from footfall_stepper.world.world import World

K, D = 1e6, 2e3
FLAT = (0.2, 0.2, 0.04)
"""A box so low that it slides long before it tips, [m]."""


def ground(**settings):
    return Compliant(CompliantConfig(**settings))


def plate(n, radius=0.1):
    """Return a disc of 1 kg that lies on n points of its edge."""
    angles = 2.0 * np.pi / n * np.arange(n)
    places = radius * np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    return Shape(rigid_model(1.0, [0.0025, 0.0025, 0.005]), points(places))


def tilted(angle, azimuth, lift=0.02):
    """Return a slope's normal, and position and attitude of a box that lies on it."""
    axis = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    down = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    normal = np.sin(angle) * down + np.cos(angle) * np.array([0.0, 0.0, 1.0])
    return normal, lift * normal, rotation_quaternion(angle * axis)


@each("n", [3, 4, 10])
@each("settings", [{}, {"stiffness": 3e5}, {"force": 20.0, "compression": 1e-3}])
def test_a_body_rests_as_deep_as_its_share_of_the_weight_presses(n, settings):
    """Depth (m g / (n K))^(2/3) on n points."""
    law = ground(**settings)
    expected = (G / (n * law.config.K)) ** (2.0 / 3.0)
    sim = simulator(plate(n).at([0.0, 0.0, 0.0]), law=law)
    steps(sim, 3000)
    assert -sim.q[2] == pytest.approx(expected, rel=1e-9)
    assert law.rest_depth(G / n) == pytest.approx(expected, rel=1e-14)


@each("azimuth", [0.0, 0.7, 2.5, 4.0])
@each("mu", [0.2, 0.6])
def test_a_box_sticks_on_slopes_below_the_friction_angle_and_does_not_creep(mu, azimuth):
    """After it has settled it moves less than 1e-9 m in 10 s."""
    normal, position, attitude = tilted(0.98 * np.arctan(mu), azimuth)
    sim = simulator(box(1.0, FLAT).at(position, attitude), law=ground(), mu=mu, normal=normal)
    steps(sim, 2000)
    before = sim.q[:3].copy()
    steps(sim, 10000)
    assert np.linalg.norm(sim.q[:3] - before) < 1e-9


@each("azimuth", [0.0, 0.7, 2.5, 4.0])
@each("mu", [0.2, 0.6])
def test_a_box_slides_down_steeper_slopes_with_what_friction_leaves(mu, azimuth):
    """a = g (sin - mu cos), once the corners have found their depth."""
    angle = 1.1 * np.arctan(mu)
    normal, position, attitude = tilted(angle, azimuth)
    sim = simulator(box(1.0, FLAT).at(position, attitude), law=ground(), mu=mu, normal=normal)
    steps(sim, 1000)
    before = np.linalg.norm(world_velocity(sim)[:3])
    steps(sim, 1000)
    gained = np.linalg.norm(world_velocity(sim)[:3]) - before
    assert gained == pytest.approx(G * (np.sin(angle) - mu * np.cos(angle)), rel=1e-5)


@pytest.mark.parametrize("angle", np.linspace(0.0, 2.0 * np.pi, 7)[:-1])
def test_a_sliding_box_stops_after_the_distance_that_friction_takes(angle):
    """v0^2 / (2 mu g), but for v0 dt / 2 and the way that the ground gives before it holds."""
    v0, mu, dt = 2.0, 0.5, 1e-3
    direction = np.array([np.cos(angle), np.sin(angle), 0.0])
    law = ground()
    depth = law.rest_depth(G / 4.0)
    start = box(1.0, FLAT).at([0.0, 0.0, 0.02 - depth], linear=v0 * direction)
    sim = simulator(start, law=law, mu=mu, dt=dt)
    steps(sim, 1500)
    gives = mu * G / 4.0 / (K * np.sqrt(depth))
    along = sim.q[:3] @ direction
    assert along == pytest.approx(v0**2 / (2.0 * mu * G), abs=v0 * dt / 2.0 + gives + 1e-4)
    assert np.linalg.norm(sim.q[:3] - along * direction - [0, 0, 0.02 - depth]) < 1e-4
    assert np.abs(sim.v).max() < 1e-6


def test_a_ball_launched_sliding_rolls_at_five_sevenths_of_its_speed():
    v0, mu = 1.0, 0.3
    law = ground()
    height = 0.1 - law.rest_depth(G)
    sim = simulator(ball(1.0, 0.1).at([0, 0, height], linear=[v0, 0, 0]), law=law, mu=mu, dt=1e-4)
    steps(sim, round(1.5 * 2.0 * v0 / (7.0 * mu * G) / 1e-4))
    assert world_velocity(sim)[0] == pytest.approx(5.0 / 7.0 * v0, rel=1e-3)


def test_on_moving_ground_a_box_is_taken_along():
    """It gains mu g until it moves as the ground does, and then keeps to it."""

    class Belt(Terrain):
        name = "belt"

        def prepare(self, sample):
            sample.normal[:] = [0.0, 0.0, 1.0]
            sample.velocity[:] = [0.5, 0.2, 0.0]
            sample.friction[:], sample.restitution[:] = 0.3, 0.0

        def sample(self, time, points, sample):
            sample.gap[:] = points[:, 2]

        def grounds(self):
            return ()

    law = ground()
    physics = laws(law=law)
    physics = type(physics)(law, physics.impact, physics.integrator, Belt())
    start = box(1.0, FLAT).at([0.0, 0.0, 0.02 - law.rest_depth(G / 4.0)])
    sim = StepperSimulator(World([start], DOWN), physics, StepSettings(1e-3))
    steps(sim, 100)
    assert np.linalg.norm(world_velocity(sim)[:2]) == pytest.approx(0.3 * G * 0.1, rel=0.01)
    steps(sim, 1000)
    np.testing.assert_allclose(world_velocity(sim)[:3], [0.5, 0.2, 0.0], atol=1e-7)


def test_the_ground_recovers_where_no_point_touches_it():
    """``u = u0 exp(-t K/D)``: within the error of Euler steps of a hundredth of D/K."""
    sim = simulator(box(1.0, FLAT).at([0.0, 0.0, 1.0]), law=ground(), dt=2e-5)
    own_parts(sim.state)["contact.deformation"][:] = [1e-3, -2e-3]
    steps(sim, 100)
    expected = np.exp(-100 * 2e-5 * K / D) * np.array([1e-3, -2e-3])
    np.testing.assert_allclose(sim.state["contact.deformation"][5], expected, rtol=1e-2)
    ratio = (1.0 - 2e-5 * K / D) ** 100
    np.testing.assert_allclose(sim.state["contact.deformation"][5], ratio * np.array([1e-3, -2e-3]))


def test_a_heavier_body_and_a_ground_that_recovers_faster_bounce_more():
    """Featherstone's advice: what bounces follows from K, D and the mass."""

    def rebound(mass, recovery_time):
        law = ground(recovery_time=recovery_time)
        sim = simulator(ball(mass, 0.1).at([0.0, 0.0, 0.2]), law=law, dt=1e-4)
        steps(sim, round(np.sqrt(0.2 / G) / 1e-4) - 20)
        heights = []
        for _ in range(1600):
            sim.step()
            heights.append(sim.q[2] - 0.1)
        low = int(np.argmin(heights))
        return max(heights[low:])

    assert rebound(1.0, 1e-3) > 1.5 * rebound(1.0, 2e-3)
    assert rebound(4.0, 2e-3) > 1.2 * rebound(1.0, 2e-3)


def test_a_planar_base_meets_the_law_of_the_plane():
    """The 3-D law with a second tangent at rest is the 2-D law, on every step of the scene."""
    sim = footfall.load("planar_box/drop")
    config, candidates = sim.stepper.law.config, sim.world.candidates
    touched = slid = 0
    for _ in range(3000):
        u = sim.state["contact.deformation"].copy()
        v = sim.v.copy()
        sim.step()
        assert not u[:, 1].any()
        p = candidates.position.T[[0, 2]].copy()
        arms = p - np.array([sim.signal("q")[0], 0.3 + sim.signal("q")[1]])[:, None]
        pd = np.array([v[0] + v[2] * arms[1], v[1] - v[2] * arms[0]])  # pitch is about +y
        flat = ground_contact(config.K, config.D, 0.3, p, pd, u[:, :1].T)
        force = sim.signal("contact_force")
        np.testing.assert_allclose(force[:, [0, 2]].T, flat.f, 1e-9, 1e-9)
        assert not force[:, 1].any()
        touched += bool(flat.f.any())
        slid += bool(((flat.fcone > 1.0) & (flat.f[1] > 0.0)).any())
    assert touched > 1000
    assert slid > 500


def test_the_planar_box_bounces_slides_and_comes_to_rest():
    sim = footfall.load("planar_box/drop")
    run = sim.run()
    airborne = ~run.in_contact.values.any(axis=1)
    lifts = np.flatnonzero(np.diff(airborne.astype(int)) > 0)
    assert len(lifts) >= 2
    assert (run.contact_status.values == 2).any()
    assert np.abs(run.v.values[-1]).max() < 1e-9
    depth = sim.stepper.law.rest_depth(1.2 * G / 2)
    assert run.base_position.values[-1, 0, 2] == pytest.approx(0.05 - depth, abs=1e-9)


@pytest.mark.parametrize("robot", ["humanoid", "icub"])
def test_a_robot_stands_on_the_default_ground(robot):
    """All points carry and stick; the base sinks in by a few times the depth of its points."""
    if robot == "icub":
        pytest.importorskip("icub_models")
    sim = footfall.load(f"{robot}/standing", {"contact.plugin": "compliant"})
    height = sim.q[2]
    sim.record(5.0)
    depth = sim.stepper.law.rest_depth(sim.world.mass * G / 8.0)
    assert 0.5 * depth < height - sim.q[2] < 3.0 * depth
    assert np.abs(sim.v).max() < 5e-3
    assert (sim.signal("contact_status") == 1).all()
    total = sim.signal("contact_force")[:, 2].sum()
    assert total == pytest.approx(sim.world.mass * G, rel=1e-2)


def test_the_deformation_of_the_ground_is_recorded():
    simulator = footfall.load("cube/sliding", {"contact.plugin": "compliant"})
    states = []
    run = simulator.layout.slice_of("contact_deformation")
    rows = []
    for _ in range(50):
        states.append(simulator.state["contact.deformation"].ravel().copy())
        simulator.step()
        rows.append(simulator.row[run].copy())
    assert np.array_equal(rows, states)
    assert np.abs(rows).max() > 0.0

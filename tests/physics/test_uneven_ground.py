"""Heights, steps and patches of the ground, against planes and closed forms."""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import (
    DOWN,
    G,
    ball,
    box,
    feature,
    rigid_model,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)
from tests.physics.composed import Shape as Body

from footfall_standard.terrain import Plane, PlaneConfig
from footfall_terrains.heightmap import Heightmap, HeightmapConfig
from footfall_terrains.steps import Steps, StepsConfig

HERE = "tests.physics.test_uneven_ground"
DT = 1e-3
SLOPE = {}
"""What ``slope`` returns the heights of; set by a test."""


def slope(x, y):
    n = SLOPE["normal"]
    return -(n[0] * x + n[1] * y) / n[2]


def trough(x, y):
    return 0.05 * x * x


def bumps(x, y):
    return 0.05 * np.sin(3.0 * x) * np.cos(2.0 * y)


def tilted(angle, azimuth):
    return np.array(
        [np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)]
    )


def heightmap(function, **settings):
    return Heightmap(HeightmapConfig(function=f"{HERE}:{function}", **settings))


@each("azimuth", np.arange(0.0, 2.0 * np.pi, np.pi / 4) + 0.1)
@each("angle", [0.2, 0.7])
def test_a_slope_of_heights_behaves_as_the_plane_does(angle, azimuth):
    """A box thrown on it, sliding or sticking at mu 0.4: the same to rounding's growth.

    Solved to rounding, too: what the usual tolerance leaves grows as it tumbles. Impacts are left
    to the law: the one of four corners at once, which hold more than the box needs, makes rounding
    1e5 times as large.
    """
    SLOPE["normal"] = n = tilted(angle, azimuth)
    thrown = box(1.0, (0.1, 0.1, 0.04)).at(
        0.04 * n, rotation_quaternion((0.1, 0.2, 0.3)), (0.3, 0.2, 0.0), (1.0, 0.0, 2.0)
    )
    ground = heightmap("slope", size=(20.0, 20.0), cells=(50, 50), friction=0.4)
    law = {"tolerance": 1e-13}
    more = {"law": law, "max_impact_splits": 0}
    plane = simulator(thrown, normal=n, mu=0.4, **more)
    runs = [simulator(thrown, terrain=ground, **more), plane]
    for sim in runs:
        steps(sim, 400)
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-6)
    np.testing.assert_allclose(runs[0].v, runs[1].v, atol=1e-5)


def test_a_tread_behaves_as_a_plane_at_its_height():
    stairs = {"count": 6, "rise": 0.2, "run": 0.5, "width": 2.0}
    ground = Steps(StepsConfig(friction=0.5, stairs=[stairs]))
    runs = []
    for terrain, height in ((ground, 0.6), (Plane(PlaneConfig(friction=0.5)), 0.0)):
        cube = box().at(
            (1.25, 0.0, height + 0.15), rotation_quaternion((0.4, 0.3, 0.0)), (0.0, 0.3, 0.0)
        )
        sim = simulator(cube, terrain=terrain)
        steps(sim, 500)
        runs.append(sim.q - np.array([0.0, 0.0, height, 0.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(*runs, atol=1e-9)


@pytest.mark.parametrize("turned", [0.0, 0.8])
def test_a_ball_that_rolls_against_a_riser_is_thrown_back(turned):
    """At e = 1 and without friction its speed is turned round, the ground having no other edge."""
    stairs = {"position": (1.0, 0.0, 0.0), "count": 1, "rise": 0.5, "run": 1.0, "width": 4.0}
    ground = Steps(StepsConfig(friction=0.0, restitution=1.0, yaw=turned, stairs=[stairs]))
    c, s = np.cos(turned), np.sin(turned)
    sim = simulator(ball().at((0.5 * c, 0.5 * s, 0.1), linear=(c, s, 0.0)), terrain=ground)
    steps(sim, 800)
    np.testing.assert_allclose(world_velocity(sim)[:2], [-c, -s], atol=1e-6)


def test_a_ball_rolls_to_and_fro_in_a_trough():
    """Period ``2 pi (7/5 (R - r) / g)^(1/2)`` of small swings at curvature 1/R = 0.1 1/m.

    Along the trough bilinear patches are flat, and all its curvature is in their edges, 1 mm
    apart; a polygon of n sides a swing has the parabola's period to a part of 1/n.
    """
    ground = heightmap("trough", size=(1.0, 1.0), cells=(1000, 2), friction=1.0)
    sim = simulator(ball().at((0.05, 0.0, 0.1 + 0.05 * 0.05**2 + 1e-5)), terrain=ground)
    previous, crossings = sim.q[0], []
    while len(crossings) < 3:
        sim.step()
        if previous > 0.0 >= sim.q[0]:
            crossings.append(sim.time - DT * sim.q[0] / (sim.q[0] - previous))
        previous = sim.q[0]
    period = 2.0 * np.pi * np.sqrt(1.4 * (10.0 - 0.1) / G)
    assert np.diff(crossings).mean() == pytest.approx(period, rel=2e-3)


def test_a_ball_without_losses_keeps_its_energy_on_bumps():
    """e = 1, no friction: what is missing of the balance is rounding, and impacts lose nothing."""
    ground = heightmap("bumps", size=(20.0, 20.0), cells=(400, 400), friction=0.0, restitution=1.0)
    sim = simulator(ball().at((0.1, 0.2, 0.6), linear=(0.5, 0.2, 0.0)), terrain=ground)
    sim.step()
    start = sim.signal("kinetic_energy") + sim.signal("potential_energy")
    hits = 0
    for _ in range(3000):
        sim.step()
        hits += int(sim.signal("impacts") > 0)
    end = sim.signal("kinetic_energy") + sim.signal("potential_energy")
    spent = sim.signal("dissipated_energy")
    assert hits >= 5
    assert abs(spent) < 1e-6 * start
    # Free flight in parts of steps: m g^2 dt / 2 a second at most.
    assert end == pytest.approx(start, abs=0.5 * G**2 * DT * 3.0)


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
def test_a_body_brakes_piece_by_piece_where_friction_changes(way):
    """From mu 0.8 to 0.1 at one metre: ``v1^2 = v0^2 - 2 mu1 g s``, then ``v1^2 / (2 mu2 g)``."""
    way = np.array([*way, 0.0])
    speed, first, second, border = 5.0, 0.8, 0.1, 1.0
    axis = "x" if way[0] > 0.0 else "y"
    at = border * way[0 if axis == "x" else 1]
    ground = Plane(PlaneConfig(friction=first, patches=[{axis: (at, 100.0), "friction": second}]))
    mass = Body(rigid_model(1.0, (1.0, 1.0, 1.0)), [feature("p", (0.0, 0.0, 0.0))])
    sim = simulator(mass.at((0.0, 0.0, 0.0), linear=speed * way), terrain=ground)
    while sim.q[:3] @ way < border:
        sim.step()
    crossing = np.sqrt(speed**2 - 2.0 * first * G * border)
    assert world_velocity(sim)[:3] @ way == pytest.approx(crossing, abs=2.0 * first * G * DT)
    steps(sim, round(crossing / (second * G) / DT) + 100)
    assert np.abs(sim.v).max() < 1e-9
    expected = border + crossing**2 / (2.0 * second * G)
    # A step at either end: the error of v1 is carried along.
    assert sim.q[:3] @ way == pytest.approx(expected, abs=2.0 * crossing * DT * first / second)


def test_a_ball_bounces_as_the_patch_below_it_says():
    ground = Plane(
        PlaneConfig(friction=0.0, restitution=0.2, patches=[{"x": (0.0, 5.0), "restitution": 0.9}])
    )
    for x, e in ((-0.5, 0.2), (0.5, 0.9)):
        sim = simulator(ball().at((x, 0.0, 1.1)), terrain=ground)
        steps(sim, 460)  # it hits after 0.4515 s
        hit = np.sqrt(2.0 * G * 1.0)
        left = e * hit - G * (sim.time - hit / G)
        assert world_velocity(sim)[2] == pytest.approx(left, abs=G * DT)


def test_boxes_have_coefficients_of_their_own():
    boxes = [{"position": (0.0, 0.0, 0.0), "size": (1.0, 1.0, 0.2), "friction": 0.1}]
    ground = Steps(StepsConfig(friction=0.9, boxes=boxes))
    sim = simulator(
        box(1.0, (0.1, 0.1, 0.02)).at((0.0, 0.0, 0.21), linear=(0.5, 0.0, 0.0)), terrain=ground
    )
    steps(sim, 100)
    assert world_velocity(sim)[0] == pytest.approx(0.5 - 0.1 * G * 0.1, abs=1e-8)
    assert DOWN[2] == -G

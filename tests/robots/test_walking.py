"""The humanoid's walk: the plan, and how it is carried out."""

from pathlib import Path

import numpy as np
import pytest
from tests.robots.recorded_steps import footsteps, tilt

import footfall
from footfall.scene.load import load_scene
from footfall_robots.humanoid.gait import Gait
from footfall_robots.humanoid.make_walking import STEP, make_pattern, write
from footfall_robots.humanoid.pendulum import capture_points, center_of_mass

GAIT = Gait()
TOE, HEEL, SIDE = 0.145, 0.075, 0.05
"""Edges of a sole from the ankle, [m]."""


@pytest.fixture(scope="module")
def pattern():
    return make_pattern()


@pytest.fixture(scope="module")
def walk():
    return footfall.load("humanoid/walking").run()


def test_the_file_is_what_its_script_writes(pattern, tmp_path):
    """To a unit of the last written digit: other machines round other numbers up."""
    write(pattern, tmp_path / "walking.csv")
    scene = load_scene("humanoid/walking")
    lines = [
        [line for line in Path(file).read_text().splitlines() if not line.startswith("#")]
        for file in (tmp_path / "walking.csv", scene.bodies["humanoid"].controller.config.file)
    ]
    assert lines[0][0] == lines[1][0]
    n = 1 + sum(not name.endswith(".torque") for name in lines[0][0].split(",")[1:])
    new, old = (np.array([line.split(",") for line in part[1:]], float) for part in lines)
    np.testing.assert_allclose(new[:, :n], old[:, :n], atol=1.001e-6, rtol=0.0)
    np.testing.assert_allclose(new[:, n:], old[:, n:], atol=1.001e-3, rtol=0.0)


def test_the_pendulum_obeys_its_equation():
    """``x'' = w^2 (x - p)`` by central differences, to their order; at rest at both ends."""
    w, dt = 3.4, 1e-3
    time = np.arange(0.0, 8.0, dt)
    points = np.interp(time, [3.0, 3.2, 4.0, 4.3], [0.0, 0.1, 0.1, -0.2])[:, None].repeat(2, 1)
    captured = capture_points(points, dt, w)
    x = center_of_mass(points, captured, dt, w)[:, 0]
    change = (x[2:] - 2.0 * x[1:-1] + x[:-2]) / dt**2
    np.testing.assert_allclose(change, w**2 * (x - points[:, 0])[1:-1], atol=2e-2)
    assert abs(x[-1] + 0.2) < 1e-4
    assert abs(captured[0, 0]) < 1e-4


def test_zero_moment_points_stay_under_the_feet(pattern):
    """In single support in the foot that stands, a centimetre from its edge at least."""
    for k in range(GAIT.steps):
        side, lift, down, _, _ = GAIT.swing(k)
        rows = slice(round(lift / STEP), round(down / STEP) + 1)
        foot = pattern.soles[rows, 1 - side, :2]
        x, y = (pattern.reached[rows] - foot).T
        assert x.max() < TOE - 0.01
        assert x.min() > -HEEL + 0.01
        assert np.abs(y).max() < SIDE - 0.01


def test_correcting_the_points_brings_them_where_they_were_planned(pattern):
    """The links' angular momentum alone moves them by 7 cm."""
    inside = slice(25, -25)
    first = make_pattern(rounds=0)
    before, after = (np.abs(p.planned - p.reached)[inside].max() for p in (first, pattern))
    assert before > 0.06
    assert after < 0.01


def test_it_makes_twelve_steps_by_turns(walk):
    steps = footsteps(walk)
    assert [step.foot for step in steps] == [0, 1] * 6
    for step in steps:
        assert step.clearance > 0.045
        # The plan's duration, less what feet need to leave the ground.
        assert (step.down - step.lift) * 1e-3 == pytest.approx(GAIT.single, abs=0.03)


def test_feet_do_not_slip(walk):
    assert max(step.slip for step in footsteps(walk)) < 5e-4


def test_it_gets_where_it_shall(walk):
    """Eleven lengths of 0.25 m ahead, within half a centimetre a step, and not aside."""
    x, y, z = (walk.base_position.values[-1, 0] - walk.base_position.values[0, 0]).T
    assert x == pytest.approx((GAIT.steps - 1) * GAIT.length, abs=0.005 * GAIT.steps)
    assert abs(y) < 0.02
    assert abs(z) < 1e-3


def test_it_is_upright_and_stands_at_the_end(walk):
    assert np.degrees(tilt(walk).max()) < 0.5
    assert np.abs(walk.v.values[-200:]).max() < 5e-3
    assert walk.in_contact.values[-1].all()


def test_torques_stay_within_the_models_limits(walk):
    limits = footfall.load("humanoid/walking").world.bodies[0].model.effort_limit
    assert (np.abs(walk.joint_torque.values).max(axis=0) < limits).all()

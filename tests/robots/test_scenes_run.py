"""Every scene that comes with Footfall runs to its end and does what its description says."""

from functools import cache

import numpy as np
import pytest

from footfall.loading import load
from footfall.scene.find import list_scenes

SCENES = [listing.name for listing in list_scenes()]
STANDING = ["icub/standing", "humanoid/standing"]
DROPPED = ["icub/drop", "humanoid/drop"]


class Motion:
    """A scene run to its end: row k is the state after k steps, and the points of its row."""

    def __init__(self, name: str) -> None:
        if name.startswith("icub/"):
            pytest.importorskip("icub_models")
        self.simulator = load(name)
        steps = round(self.simulator.about.duration / self.simulator.time_step)
        q, v, points = [self.simulator.q.copy()], [self.simulator.v.copy()], []
        for _ in range(steps):
            self.simulator.step()
            q.append(self.simulator.q.copy())
            v.append(self.simulator.v.copy())
            points.append(self.simulator.world.candidates.position.copy())
        self.q, self.v, self.points = np.array(q), np.array(v), np.array(points)
        self.time = np.arange(steps + 1) * self.simulator.time_step

    def tilt(self) -> np.ndarray:
        """Return the angle between the base's z axis and the vertical, [rad]."""
        x, y = self.q[:, 3], self.q[:, 4]
        return 2.0 * np.arcsin(np.hypot(x, y))


@cache
def motion(name: str) -> Motion:
    return Motion(name)


@pytest.mark.parametrize("name", SCENES)
def test_it_runs_to_its_end(name):
    run = motion(name)
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.v).all()
    # Something happens.
    assert np.abs(run.q - run.q[0]).max() > 1e-4


@pytest.mark.parametrize("name", STANDING)
def test_standing_robots_stand(name):
    run = motion(name)
    assert np.linalg.norm(run.q[:, :3] - run.q[0, :3], axis=1).max() < 0.01
    assert np.degrees(run.tilt().max()) < 2.0
    last_second = run.points[-1000:]
    assert np.ptp(last_second, axis=0).max() < 1e-6


@pytest.mark.parametrize("name", DROPPED)
def test_dropped_robots_land_on_their_feet_and_stand(name):
    run = motion(name)
    fallen = run.q[0, :3] - run.q[-1, :3]
    assert fallen[2] == pytest.approx(0.05, abs=0.002)
    assert np.hypot(fallen[0], fallen[1]) < 0.01
    assert np.degrees(run.tilt().max()) < 2.0
    assert np.ptp(run.points[-1000:], axis=0).max() < 1e-6


@pytest.mark.parametrize("name", [*STANDING, *DROPPED])
def test_what_is_held_stays_within_its_joints_limits(name):
    run = motion(name)
    model = run.simulator.world.bodies[0].model
    joints = run.q[:, 7:]
    assert (joints >= model.position_lower).all()
    assert (joints <= model.position_upper).all()


def test_the_sliding_cube_stops_after_its_stopping_distance():
    """v0^2 / (2 mu g), within v0 dt / 2 (the first-order scheme's error) and 0.01 %."""
    run = motion("cube/sliding")
    distance = 6.0**2 / (2 * 0.5 * 9.81)
    assert abs(run.q[-1, 0] - distance) < 6.0 * 1e-3 / 2 + 1e-4 * distance
    assert np.abs(run.q[:, 2] - 0.05).max() < 1e-6
    assert np.abs(run.v[-1]).max() < 1e-12


def test_the_box_slides_as_fast_as_friction_lets_it():
    """a = g (sin - mu cos), down the slope; velocity is exact for a constant force."""
    run = motion("box/slope")
    slope = np.radians(30.0)
    a = 9.81 * (np.sin(slope) - 0.5 * np.cos(slope))
    np.testing.assert_allclose(run.v[-1, :3], [a * run.time[-1], 0.0, 0.0], atol=1e-6)


def test_the_ball_rolls_at_five_sevenths_of_its_speed():
    run = motion("ball/rolling")
    speed = np.linalg.norm(run.v[-1, :3])
    # Friction may overshoot by one step's worth: mu g dt.
    assert speed == pytest.approx(2.0 * 5 / 7, abs=0.3 * 9.81 * 1e-3)
    assert run.v[-1, 4] == pytest.approx(speed / 0.1, rel=1e-6)


def test_the_ball_rebounds_to_a_quarter_of_its_height():
    run = motion("ball/bounce")
    height = run.q[:, 2] - 0.1
    first = int(np.argmax(np.diff(np.sign(np.diff(height))) > 0))
    rebound = height[first + 1 :].max()
    assert rebound == pytest.approx(0.25, rel=0.01)
    assert abs(height[-1]) < 1e-4


def test_the_pendulum_swings_to_the_other_side_and_back():
    """Nothing takes energy away but the error of a first-order scheme of 1 ms."""
    run = motion("pendulum/swing")
    angle = run.q[:, 0]
    assert angle.min() == pytest.approx(-angle[0], rel=0.01)
    assert angle[1000:].max() == pytest.approx(angle[0], rel=0.01)


def test_the_damped_double_pendulum_ends_up_hanging():
    run = motion("rrbot/swing")
    joint1, joint2 = run.q[-1]
    assert np.cos(joint1) < -0.95
    assert np.cos(joint2) > 0.95
    assert np.abs(run.v[-1]).max() < 0.5


@pytest.mark.parametrize(("name", "radius"), [("coin/rolling", 0.05), ("cube/drop", 0.05)])
def test_nothing_sinks_into_the_ground(name, radius):
    run = motion(name)
    assert run.points[:, :, 2].min() > -1e-3
    assert run.q[-1, 2] > 0.9 * radius


def test_the_coin_rolls_in_a_circle_without_slipping():
    run = motion("coin/rolling")
    lowest = run.points[np.arange(len(run.points)), run.points[:, :, 2].argmin(axis=1)]
    for q, v, point in zip(run.q, run.v, lowest, strict=False):
        R = rotation(q[3:7])
        slip = R @ v[:3] + np.cross(R @ v[3:6], point - q[:3])
        # The point moves on by one step before the law, which looks at its end, has it stand still:
        # R times the angle of a step squared, over the step.
        assert np.linalg.norm(slip[:2]) < 0.05 * 12.0**2 * 1e-3
    way = np.linalg.norm(np.diff(run.q[:, :2], axis=0), axis=1).sum()
    assert way == pytest.approx(0.577 * 3.0, rel=0.02)
    # Round and round: it is never far from where it began.
    assert 0.4 < np.ptp(run.q[:, 0]) < 0.6
    assert 0.4 < np.ptp(run.q[:, 1]) < 0.6


def rotation(quaternion) -> np.ndarray:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_the_disc_bounces_and_rolls_forwards():
    run = motion("disc/rolling")
    assert run.q[-1, 0] > 0.2
    assert run.q[-1, 2] < 0.06


def test_the_published_set_up_lets_icub_fall():
    run = motion("icub/seed")
    assert run.q[0, 2] == 0.65
    assert run.q[-1, 2] < 0.5

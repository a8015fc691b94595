"""The quadruped: what it is made of, how it stands, and what it takes to throw it over."""

import numpy as np
import pytest
from tests.robots.test_bundled_robots import Standing

import footfall
from footfall.model.robot import load_robot

LEGS = ("fl", "fr", "rl", "rr")


@pytest.fixture(scope="module")
def standing():
    return Standing("quadruped")


def tilt(q):
    """Return the angle between the trunk's z axis and the vertical, [degrees]."""
    x, y = q[..., 3], q[..., 4]
    return np.degrees(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))


def test_it_has_four_legs_of_three_joints(standing):
    joints = ("hip_roll", "hip_pitch", "knee")
    assert standing.model.joint_names == tuple(f"{leg}_{j}" for leg in LEGS for j in joints)
    assert 12.0 < standing.model.mass < 25.0


def test_masses_are_those_of_its_solids(standing):
    """Every solid is a visual; a material's density is that of plastic to packed motors."""
    robot = load_robot("quadruped")
    volume = 0.0
    for link in robot.urdf.links.values():
        for visual in link.visuals:
            volume += {
                "box": lambda x, y, z: x * y * z,
                "cylinder": lambda r, h: np.pi * r * r * h,
                "sphere": lambda r: 4.0 / 3.0 * np.pi * r**3,
            }[visual.shape.kind](*visual.shape.size)
    assert 700.0 < standing.model.mass / volume < 2700.0


def test_its_feet_are_balls_below_the_hips(standing):
    features = standing.robot.features(standing.model)
    assert [(f.kind, f.radius, f.foot.name) for f in features] == [
        ("sphere", 0.022, f"{leg}_foot") for leg in LEGS
    ]
    corners = [(0.2, 0.13), (0.2, -0.13), (-0.2, 0.13), (-0.2, -0.13)]
    np.testing.assert_allclose(standing.points[:, :2], corners, atol=1e-15)
    np.testing.assert_allclose(standing.points[:, 2], 0.022, atol=2.0**-52)
    assert np.abs(standing.com[:2]).max() < 2e-3


def test_its_drives_reflect_their_rotors_and_stop_at_their_limits():
    """8^2 times 6e-5 kg m^2; limits are those of the model file."""
    sim = footfall.load("quadruped/standing")
    (drives,) = sim.participants.drives
    armature = sim.world.joints.armature[sim.world.joint_slice(0)]
    np.testing.assert_allclose(armature, 64.0 * 6e-5, rtol=1e-14)
    np.testing.assert_array_equal(drives.limit, np.tile([30.0, 30.0, 45.0], 4))


def test_it_stands():
    """Five seconds: the trunk sinks 2.3 mm into its soft joints, no foot slides."""
    run = footfall.load("quadruped/standing").run()
    q = run.q.values
    assert q[:, 2].min() > q[0, 2] - 5e-3
    assert tilt(q).max() < 0.1
    assert run.in_contact.values.all()
    last = run.time.values >= 4.0
    force = run.contact_force.values[last]
    np.testing.assert_allclose(force[..., 2].sum(axis=1), run.attrs["weight"], rtol=1e-6)
    imu = run.sensor_imu_acceleration.values[last]
    # Standard error of the mean of 1000 readings (500 of them new) with a noise of 0.02 m/s^2.
    np.testing.assert_allclose(imu.mean(axis=0), [0.0, 0.0, 9.81], atol=5e-3)
    position = run.sensor_joints_position.values[last] - q[last, 7:]
    assert np.abs(position).max() <= 0.5e-4 + 1e-8


def test_it_takes_its_pushes():
    """It is back where it stood, upright, and has been moved by each of the two."""
    run = footfall.load("quadruped/pushed").run()
    assert run.push.values.tolist() == ["quadruped/trunk", "quadruped/trunk/2"]
    q, time = run.q.values, run.time.values
    for axis, start in ((1, 1.0), (0, 2.5)):
        during = (time >= start) & (time < start + 0.4)
        assert np.ptp(q[during, axis]) > 0.01
    assert tilt(q).max() < 10.0
    assert tilt(q[-1]) < 0.5
    assert np.abs(q[-1, :2]).max() < 0.03


def test_a_hard_push_throws_it_over():
    """It stands on position gains alone, with nothing that would make it step."""
    push = {"link": "trunk", "force": [0.0, 120.0, 0.0], "start": 0.5, "duration": 0.2}
    run = footfall.load("quadruped/standing", {"pushes": [push]}).run(2.0)
    assert tilt(run.q.values).max() > 90.0

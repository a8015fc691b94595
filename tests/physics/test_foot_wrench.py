"""The wrench of the ground on each foot: force and moment about the sole frame, in its axes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import footfall


def standing(robot, law="coulomb"):
    if robot == "icub":
        pytest.importorskip("icub_models", reason="needs icub-models: pip install -e '.[icub]'")
    return footfall.load(f"{robot}/standing", {"contact.plugin": law})


def sole_poses(sim):
    """World pose of each foot's frame: rotation, origin."""
    pose, c = sim.world.dynamics.pose, sim.world.candidates
    found = []
    for link, frame in zip(c.foot_link, c.foot_frame, strict=True):
        R, p = pose[link, :9].reshape(3, 3).T, pose[link, 9:]
        found.append((R @ frame[:9].reshape(3, 3).T, R @ frame[9:] + p))
    return found


@pytest.mark.parametrize("robot", ["icub", "humanoid"])
def test_wrenches_of_a_standing_robot_sum_to_its_weight(robot):
    run = standing(robot).run(1.0)
    assert run.foot.values.tolist() == [f"{robot}/l_sole", f"{robot}/r_sole"]
    force = run.foot_wrench.sel(wrench=["fx", "fy", "fz"])[-1]
    # The soles lie on level ground, so their third axis is the world's to the tilt of a standing
    # robot, 1e-4 rad.
    assert float(force.sel(wrench="fz").sum()) == pytest.approx(run.attrs["weight"], rel=1e-4)


@pytest.mark.parametrize("law", ["coulomb", "gauss"])
def test_the_moment_is_the_sum_of_p_cross_f(law):
    sim = standing("humanoid", law)
    for _ in range(50):
        sim.step()
    sim.stepper.observe(sim.time)
    poses = sole_poses(sim)
    sim.step()
    force, points = sim.signal("contact_force"), sim.signal("contact_position")
    for foot, (R, origin) in enumerate(poses):
        on = sim.world.candidates.foot == foot
        total = force[on].sum(axis=0)
        moment = np.cross(points[on] - origin, force[on]).sum(axis=0)
        expected = np.concatenate([R.T @ total, R.T @ moment])
        np.testing.assert_allclose(sim.signal("foot_wrench")[foot], expected, atol=1e-10)


def test_the_centre_of_pressure_lies_in_the_foot():
    """``x = -my / fz``, ``y = mx / fz``.

    Pulled forward, the robot leans on its toes, 0.09 m before the frame; the heels are 0.06 m
    behind it, so that the other sign of the moment would be seen.
    """
    pytest.importorskip("icub_models", reason="needs icub-models: pip install -e '.[icub]'")
    run = footfall.load("icub/standing", {"world.gravity": [1.0, 0.0, -9.81]}).run(0.4)
    w = run.foot_wrench
    x = -w.sel(wrench="my") / w.sel(wrench="fz")
    y = w.sel(wrench="mx") / w.sel(wrench="fz")
    assert float(x.min()) >= -0.06
    assert float(x.max()) <= 0.11
    assert float(y.min()) >= -0.035
    assert float(y.max()) <= 0.04
    assert float(x[-1].min()) > 0.065


def test_each_foot_has_its_own_frame():
    """A cube that rests turned by 30 degrees about z: the ground pushes along its own axes."""
    sim = footfall.load("cube/drop", {
        "bodies.cube.base_orientation": [0.0, 0.0, np.pi / 6],
        "bodies.cube.base_position": [0.3, -0.2, 0.05],
        "bodies.cube.base_linear_velocity": [0.0, 0.0, 0.0],
        "bodies.cube.base_angular_velocity": [0.0, 0.0, 0.0],
        "world.gravity": [1.0, 0.0, -9.81],
    })  # fmt: skip
    for _ in range(20):
        sim.step()
    (wrench,) = sim.signal("foot_wrench")
    mass = sim.world.mass
    R = Rotation.from_euler("z", np.pi / 6).as_matrix()
    np.testing.assert_allclose(wrench[:3], R.T @ [-mass, 0.0, 9.81 * mass], atol=1e-6 * mass)
    # No rotation: the moment about the centre of mass is zero.
    np.testing.assert_allclose(wrench[3:], 0.0, atol=1e-6 * mass)


def test_a_ball_is_pushed_at_the_point_that_it_stands_on():
    """On a slope the arm is along the normal, not along the world's vertical."""
    normal = np.array([0.3, 0.0, 1.0]) / np.linalg.norm([0.3, 0.0, 1.0])
    sim = footfall.load("ball/bounce", {
        "world.terrain.normal": normal.tolist(), "world.terrain.restitution": 0.0,
        "world.terrain.friction": 0.5,
    })  # fmt: skip
    radius = float(sim.world.candidates.radius[0])
    sim.q[:3] = radius * normal
    sim.v[:] = 0.0
    for _ in range(10):
        sim.stepper.observe(sim.time)
        ((R, _),) = sole_poses(sim)
        sim.step()
    force = sim.signal("contact_force")[0]
    moment = R @ sim.signal("foot_wrench")[0, 3:]
    np.testing.assert_allclose(moment, np.cross(-radius * normal, force), atol=1e-9)
    assert np.linalg.norm(moment) > 1e-3  # it rolls down

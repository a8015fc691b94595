"""The scenes that come with Footfall: valid, described, and starting where they say."""

import numpy as np
import pytest
from tests.cases import each
from tests.robot_packages import need_package

from footfall.config.fields import values_by_name
from footfall.model.robot import load_robot
from footfall.scene.find import list_scenes
from footfall.scene.load import load_scene
from footfall.scene.scene import Scene
from footfall.spatial.pose import Pose, rotation_from_rpy
from footfall_pinocchio.engine import Pinocchio

SCENES = [listing.name for listing in list_scenes()]
EXPECTED = {
    *("icub/standing", "icub/drop", "humanoid/standing", "humanoid/drop"),
    *("icub/seed", "cube/drop", "cube/sliding", "box/slope", "ball/rolling", "ball/bounce"),
    "ball/spinning",
    *("pendulum/swing", "rrbot/swing", "coin/rolling", "disc/rolling"),
    *("disc/falling", "planar_box/drop", "cube/conveyor", "cube/shaken", "ball/stairs"),
    "cube/stack",
    *("ball/hills", "humanoid/pushed", "humanoid/walking", "humanoid/walking_pushed"),
    *("fourbar/swinging", "parallel_leg/standing", "parallel_leg/hopping"),
    *("icub_on_pole/swinging", "icub/motors", "jvrc/standing", "jvrc/drop"),
    *("quadruped/standing", "quadruped/pushed", "quadruped/trot"),
    *("icub/balancing", "icub/balancing_pushed", "icub/yoga", "humanoid/balancing"),
    *("humanoid/grasp", "humanoid/collaboration", "jvrc/grasp"),
    *("panda/pushing", "hand/holding", "allegro/holding", "quadruped/scanning"),
}
START = {
    "icub/standing": 0.0,
    "icub/motors": 0.0,
    "icub/balancing": 0.0,
    "icub/balancing_pushed": 0.0,
    "icub/yoga": 0.0,
    "humanoid/balancing": 0.0,
    "humanoid/grasp": 0.0,
    "humanoid/collaboration": 0.0,
    "icub/drop": 0.05,
    "icub/seed": 0.65 - 0.619438,
    "humanoid/standing": 0.0,
    "humanoid/pushed": 0.0,
    "humanoid/walking": 0.0,
    "humanoid/walking_pushed": 0.0,
    "humanoid/drop": 0.05,
    "jvrc/standing": 0.0,
    "jvrc/grasp": 0.0,
    "jvrc/drop": 0.05,
    "quadruped/standing": 0.0,
    "quadruped/pushed": 0.0,
    "quadruped/trot": 0.0,
    "cube/sliding": 0.0,
    "cube/conveyor": 0.0,
    "cube/shaken": 0.0,
    "box/slope": 0.0,
    "ball/rolling": 0.0,
    "ball/spinning": 0.0,
    "ball/bounce": 1.0,
    "coin/rolling": 0.0,
    "disc/rolling": 0.05,
    "disc/falling": 0.05,
}
"""Height of the lowest contact point above the ground, [m]."""


def load(name: str) -> Scene:
    need_package(name)
    return load_scene(name)


def lowest_gap(scene: Scene) -> float:
    """Return the smallest distance to the ground of what can touch it, [m]."""
    ground = scene.world.terrain.config
    normal = np.array(ground.normal) / np.linalg.norm(ground.normal)
    gaps = []
    for name, body in scene.bodies.items():
        if body.shape is not None:
            continue
        robot = load_robot(body.robot, scene.folder)
        tree = Pinocchio().load(robot.source(name, np.array(scene.world.gravity)))
        joints = dict(zip(tree.model.joint_names, robot.posture(tree.model), strict=True))
        joints |= values_by_name(body.joint_positions, tree.model.joint_names, name)
        position = body.base_position or robot.spec.base_position
        rotation = rotation_from_rpy(body.base_orientation or robot.spec.base_orientation)
        at_origin = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        tree.evaluate(np.array([*at_origin, *joints.values()]), np.zeros(tree.model.nv))
        base = Pose(rotation, np.array(position))
        for feature in robot.features(tree.model):
            row = tree.pose[feature.link]
            pose = base @ Pose(row[:9].reshape(3, 3).T, row[9:])
            axis = pose.rotation @ feature.axis
            # A ball's radius counts whole, a rim's as far as its plane is steep.
            steep = np.sqrt(1.0 - (axis @ normal) ** 2) if feature.kind == "rim" else 1.0
            center = normal @ pose.apply(feature.position) - ground.offset
            gaps.append(center - steep * feature.radius)
    return min(gaps)


def test_the_scenes_are_those_that_are_documented():
    assert set(SCENES) == EXPECTED


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_is_valid_and_says_what_it_shows(name):
    scene = load(name)
    assert scene.notes == ()
    assert 20 < len(scene.description) < 90
    robot = name.split("/")[0]
    robots = [name for name, body in scene.bodies.items() if body.shape is None]
    assert all(body == robot or body.startswith(f"{robot}_") for body in robots or scene.bodies)


@each(("name", "height"), START.items())
def test_scenes_start_at_their_height_above_the_ground(name, height):
    # A few units in the last place of the base's height.
    assert lowest_gap(load(name)) == pytest.approx(height, abs=1e-15)


def test_the_tumbling_cube_starts_above_the_ground():
    assert lowest_gap(load("cube/drop")) > 0.3


@each(
    "name",
    [
        *("icub/standing", "icub/motors", "icub/drop", "humanoid/standing", "humanoid/drop"),
        *("jvrc/standing", "jvrc/drop", "quadruped/standing", "quadruped/pushed"),
    ],
)
def test_every_joint_of_a_standing_robot_is_held(name):
    scene = load(name)
    (body,) = scene.bodies.values()
    robot = load_robot(body.robot)
    assert body.controller.plugin == "posture"
    config = body.controller.config
    assert config.method == "implicit"
    for gains in (config.stiffness, config.damping):
        table = gains if isinstance(gains, dict) else {"*": gains}
        held = values_by_name(table, robot.kept, name)
        assert set(held) == set(robot.kept)
        assert min(held.values()) > 0.0


def test_icub_seed_is_the_published_set_up():
    scene = load("icub/seed")
    assert (scene.contact.plugin, scene.impact.plugin) == ("gauss", "inelastic")
    assert scene.integrator.plugin == "explicit_euler"
    assert scene.simulation.impact_order == "after_contact"
    assert scene.simulation.max_impact_splits == 0
    assert scene.simulation.time_step == 1e-3
    assert scene.world.terrain.config.friction == 0.1
    assert scene.bodies["icub"].controller.plugin == "zero"


def test_the_coin_starts_rolling_without_slip():
    """The velocity of the lowest point of its rim is zero: v + omega x r."""
    scene = load("coin/rolling")
    body = scene.bodies["coin"]
    assert body.base_orientation is not None
    R = rotation_from_rpy(body.base_orientation)
    r = R @ np.array([0.0, -0.005, -0.05])
    v = np.array(body.base_linear_velocity) + np.cross(body.base_angular_velocity, r)
    np.testing.assert_allclose(v, 0.0, atol=1e-15)


@pytest.mark.parametrize(("name", "turn"), [("disc/rolling", 0.18), ("disc/falling", 0.22)])
def test_the_disc_is_that_of_featherstones_example(name, turn):
    scene = load(name)
    body, ground = scene.bodies["disc"], scene.contact.config
    assert (ground.K, ground.D, scene.world.terrain.config.friction) == (1e6, 2000.0, 0.1)
    assert body.base_orientation == (0.0, 0.0, turn)
    assert body.base_position == (0.0, 0.0, 0.1)
    assert body.base_linear_velocity == (0.6, 0.0, 0.0)


def test_the_sliding_cube_has_time_to_stop():
    """It stops after v0 / (mu g)."""
    scene = load("cube/sliding")
    body = scene.bodies["cube"]
    assert body.base_linear_velocity == (6.0, 0.0, 0.0)
    assert scene.simulation.duration > 6.0 / (0.5 * 9.81)


def test_the_box_lies_on_a_slope_that_is_steeper_than_friction_holds():
    scene = load("box/slope")
    ground = scene.world.terrain.config
    x, _, z = ground.normal
    assert x / z > ground.friction
    R = rotation_from_rpy(scene.bodies["box"].base_orientation)
    np.testing.assert_allclose(R[:, 2], ground.normal, atol=2e-16)

"""The robots that come with Footfall: loadable, sound, and standing where they say."""

import runpy

import numpy as np
import pytest
from tests.cases import each
from tests.robot_packages import need_package

from footfall.errors import RobotError
from footfall.formats.urdf import Visual
from footfall.interfaces.engine import TreeModel
from footfall.model.mesh_file import read_triangles
from footfall.model.robot import Robot, list_robots, load_robot
from footfall.spatial.pose import Pose, rotation_from_rpy
from footfall_import.sole import solids
from footfall_pinocchio.engine import Pinocchio

GRAVITY = np.array([0.0, 0.0, -9.81])
RIGID = ("ball", "box", "coin", "cube", "disc")
FIXED = ("pendulum", "rrbot", "fourbar", "parallel_leg", "panda", "hand", "allegro")
LEGGED = ("humanoid", "icub", "jvrc")
PLANAR = ("planar_box",)
FOUR_LEGGED = ("quadruped",)
HELD = ("icub_on_pole",)
"""By a loop, off the ground."""


def load(name: str) -> Robot:
    need_package(name)
    return load_robot(name)


class Standing:
    """A robot at its default pose and posture, evaluated by Pinocchio."""

    def __init__(self, name: str) -> None:
        self.robot = load(name)
        tree = Pinocchio().load(self.robot.source(name, GRAVITY))
        self.model: TreeModel = tree.model
        self.posture = self.robot.posture(self.model)
        q = self.posture
        if self.model.base == "floating":
            roll, pitch, yaw = self.robot.spec.base_orientation
            assert (roll, pitch) == (0.0, 0.0)
            turn = [0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)]
            q = np.concatenate([self.robot.spec.base_position, turn, self.posture])
        tree.evaluate(q, np.zeros(self.model.nv))
        self.links = [Pose(row[:9].reshape(3, 3).T, row[9:].copy()) for row in tree.pose]
        self.M = tree.M.copy()
        features = self.robot.features(self.model)
        self.points = np.array([self.links[f.link].apply(f.position) for f in features])
        m = self.model
        coms = [pose.apply(com) for pose, com in zip(self.links, m.link_com, strict=True)]
        self.com = m.link_mass @ np.array(coms) / m.mass


def test_the_robots_are_those_that_are_documented():
    assert list_robots() == tuple(sorted((*RIGID, *FIXED, *LEGGED, *FOUR_LEGGED, *PLANAR, *HELD)))


@pytest.mark.parametrize("name", [*RIGID, *FIXED, *LEGGED, *FOUR_LEGGED])
def test_every_robot_loads_without_a_warning_and_says_what_it_is(name):
    robot = load(name)
    assert 20 < len(robot.spec.description) < 100
    assert robot.urdf is not None
    assert robot.source("body", GRAVITY).joints == robot.kept


@pytest.mark.parametrize("name", [*RIGID, *FIXED, *LEGGED, *FOUR_LEGGED])
def test_every_robot_can_be_seen(name):
    standing = Standing(name)
    nodes = standing.robot.visuals("body", standing.model)
    assert {node.link for node in nodes} >= {0, standing.model.n_links - 1}
    assert len({node.name for node in nodes}) == len(nodes)


@pytest.mark.parametrize("name", RIGID)
def test_objects_need_no_engine_and_are_what_an_engine_says(name):
    standing = Standing(name)
    body, model = standing.robot.rigid_body(), standing.model
    assert body is not None
    assert body.mass == model.mass
    np.testing.assert_allclose(body.link_com, model.link_com, atol=1e-16)
    np.testing.assert_allclose(body.link_inertia, model.link_inertia, rtol=1e-14, atol=1e-18)


@pytest.mark.parametrize("name", [*FIXED, *LEGGED, *FOUR_LEGGED])
def test_robots_need_an_engine(name):
    assert load(name).rigid_body() is None


@each("name", [*FIXED, *LEGGED, *FOUR_LEGGED])
def test_the_posture_is_within_the_joints_limits(name):
    standing = Standing(name)
    assert (standing.posture >= standing.model.position_lower).all()
    assert (standing.posture <= standing.model.position_upper).all()


@each("name", [*RIGID, *LEGGED, *FOUR_LEGGED])
def test_the_default_pose_stands_on_the_ground(name):
    standing = Standing(name)
    features = standing.robot.features(standing.model)
    if features[0].kind == "point":
        lowest = standing.points[:, 2].min()
    else:
        lowest = standing.points[:, 2].min() - features[0].radius
    # A unit in the last place of numbers of the size of the base's height.
    assert abs(lowest) <= 2.0**-52


@pytest.mark.parametrize("name", LEGGED)
def test_both_soles_are_level_and_at_zero(name):
    standing = Standing(name)
    assert len(standing.points) == 8
    np.testing.assert_allclose(standing.points[:, 2], 0.0, atol=2.0**-52)
    left, right = standing.points[:4].mean(0), standing.points[4:].mean(0)
    assert left[1] > 0.05 > -0.05 > right[1]
    assert abs(left[0] - right[0]) < 2e-4


@pytest.mark.parametrize(("name", "margin"), [("icub", 0.06), ("humanoid", 0.08), ("jvrc", 0.06)])
def test_the_centre_of_mass_is_well_inside_the_feet(name, margin):
    standing = Standing(name)
    forward, side, _ = standing.com
    x, y = standing.points[:, 0], standing.points[:, 1]
    assert x.min() + margin < forward < x.max() - margin
    assert y.min() + margin < side < y.max() - margin
    # It stands on both feet alike.
    assert abs(side) < 1e-3


def test_icub_has_the_joints_and_the_footprint_of_the_published_set_up():
    standing = Standing("icub")
    legs = [f"{s}_{j}" for s in "lr" for j in ("hip_pitch", "hip_roll", "hip_yaw", "knee")]
    legs += [f"{s}_ankle_{j}" for s in "lr" for j in ("pitch", "roll")]
    arms = [f"{s}_shoulder_{j}" for s in "lr" for j in ("pitch", "roll", "yaw")]
    arms += ["l_elbow", "r_elbow"]
    torso = ["torso_pitch", "torso_roll", "torso_yaw"]
    assert sorted(standing.model.joint_names) == sorted(legs + arms + torso)
    assert len(standing.model.joint_names) == 23
    for feature in standing.robot.features(standing.model):
        sole = standing.model.frames[feature.name.split("/")[0]]
        x, y, z = sole.rotation.T @ (feature.position - sole.translation)
        assert min(abs(x - 0.11), abs(x + 0.06)) < 1e-15
        assert min(abs(y - 0.04), abs(y + 0.035)) < 1e-15
        assert abs(z) < 1e-15


@pytest.mark.parametrize("side", ["l", "r"])
def test_icubs_contact_points_lie_under_its_real_feet(side):
    robot = load("icub")
    assert robot.urdf is not None
    model = Standing("icub").model
    mesh = robot.urdf.links[f"{side}_foot"].visuals[0]
    with open(mesh.shape.mesh, "rb") as file:
        data = file.read()[84:]
    triangle = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("extra", "<u2")])
    vertices = np.frombuffer(data, triangle)["points"].reshape(-1, 3) * np.array(mesh.shape.size)
    foot, sole = (model.frames[f"{side}_{name}"] for name in ("foot", "sole"))
    in_foot = mesh.origin.apply(vertices)
    in_link = Pose(foot.rotation, foot.translation).apply(in_foot)
    in_sole = Pose(sole.rotation, sole.translation).inverse().apply(in_link)
    bottom = in_sole[in_sole[:, 2] < in_sole[:, 2].min() + 1e-4]
    low, high = bottom.min(0), bottom.max(0)
    for x in (-0.06, 0.11):
        for y in (-0.035, 0.04):
            assert low[0] < x < high[0]
            assert low[1] < y < high[1]


@pytest.mark.parametrize("name", [*LEGGED, *FOUR_LEGGED])
def test_legged_robots_are_drawn_standing_on_the_ground(name):
    """The lowest point that is drawn is as low as the lowest contact point, to a millimetre."""
    standing = Standing(name)
    drawn = []
    for node in standing.robot.visuals(name, standing.model):
        pose = standing.links[node.link] @ Pose(node.rotation, node.translation)
        (solid,) = solids("link", [Visual(pose, node.shape, None)])
        drawn.append(solid.lowest(Pose.identity()))
    spheres = [feature.radius for feature in standing.robot.features(standing.model)]
    assert min(drawn) == pytest.approx((standing.points[:, 2] - spheres).min(), abs=1e-3)


@pytest.mark.parametrize("side", ["l", "r"])
def test_jvrcs_contact_points_are_the_corners_of_its_real_soles(side):
    """To a tenth of a millimetre; the meshes are in single precision."""
    robot, model = load("jvrc"), Standing("jvrc").model
    assert robot.urdf is not None
    (mesh,) = robot.urdf.links[f"{side.upper()}_ANKLE_P_S"].visuals
    foot = model.frames[f"{side.upper()}_ANKLE_P_S"]
    on_link = Pose(foot.rotation, foot.translation) @ mesh.origin
    corners = on_link.apply(read_triangles(mesh.shape.mesh).reshape(-1, 3))
    flat = corners[corners[:, 2] < corners[:, 2].min() + 1e-4]
    points = [f.position for f in robot.features(model) if f.name.startswith(f"{side}_sole")]
    assert len(points) == 4
    for point in points:
        assert np.linalg.norm(flat - point, axis=1).min() < 1.5e-4
    # No corner of the flat lies outside of the box of the four points.
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    assert (flat > low - 1.5e-4).all()
    assert (flat < high + 1.5e-4).all()


def test_the_humanoid_is_of_human_size():
    standing = Standing("humanoid")
    model = standing.model
    assert len(model.joint_names) == 30
    assert 50.0 < model.mass < 60.0
    head = model.frames["head"]
    crown = standing.links[head.link].apply(head.translation + np.array([0.0, 0.0, 0.185]))[2]
    assert 1.55 < crown < 1.65


@pytest.mark.parametrize("name", ["humanoid", "quadruped", "hand"])
def test_a_robot_of_primitives_is_its_own_mirror_image(name):
    model = Standing(name).model
    mass = dict(zip(model.link_names, model.link_mass, strict=True))
    com = dict(zip(model.link_names, model.link_com, strict=True))
    mirror = np.array([1.0, -1.0, 1.0])
    for name in model.link_names:
        if "l_" in name[:3]:
            other = name.replace("l_", "r_", 1)
            assert mass[name] == mass[other]
            np.testing.assert_array_equal(com[name], com[other] * mirror)


def test_the_disc_and_the_coin_are_the_published_disc():
    """R 0.05 m, T 0.01 m, 3000 kg/m^3; m = rho pi R^2 T, about its axis m R^2 / 2."""
    R, T = 0.05, 0.01
    m = 3000.0 * np.pi * R**2 * T
    across = m * (3 * R**2 + T**2) / 12
    for name in ("disc", "coin"):
        body = load(name).rigid_body()
        assert body is not None
        # The file holds 12 digits.
        assert body.mass == pytest.approx(m, rel=1e-11)
        inertia = np.diag([across, m * R**2 / 2, across])
        np.testing.assert_allclose(body.link_inertia[0], inertia, rtol=1e-11)
    points = Standing("disc").points - [0.0, 0.0, R]
    angles = np.arange(16) * 2 * np.pi / 16
    circle = np.array([R * np.sin(angles), R * np.cos(angles)]).T
    for half, y in ((points[:16], -T / 2), (points[16:], T / 2)):
        np.testing.assert_allclose(half[:, [0, 2]], circle, atol=1e-13)
        np.testing.assert_array_equal(half[:, 1], y)
    rims = load("coin").features(Standing("coin").model)
    assert [(rim.kind, rim.radius, rim.position[1]) for rim in rims] == [
        ("rim", R, -T / 2),
        ("rim", R, T / 2),
    ]


def test_boxes_have_the_inertia_of_a_uniform_box():
    for name, m, (x, y, z) in (("cube", 1.0, (0.1, 0.1, 0.1)), ("box", 1.2, (0.2, 0.1, 0.06))):
        standing = Standing(name)
        moments = m / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
        np.testing.assert_allclose(standing.model.link_inertia[0], np.diag(moments), rtol=1e-11)
        size = np.ptp(standing.points, axis=0)
        np.testing.assert_allclose(size, (x, y, z), rtol=1e-15)
        assert len({tuple(point) for point in standing.points}) == 8


def test_the_planar_box_is_uniform_and_its_corners_are_in_its_plane():
    standing, (x, z), m = Standing("planar_box"), (0.2, 0.1), 1.2
    assert standing.model.joint_names == ("planar_x", "planar_z", "planar_pitch")
    assert standing.M.diagonal() == pytest.approx([m, m, m * (x * x + z * z) / 12], rel=1e-14)
    corners = {(a * x / 2, 0.0, b * z / 2) for a in (-1, 1) for b in (-1, 1)}
    assert {tuple(point) for point in standing.points} == corners
    assert standing.robot.spec.base_position == (0.0, 0.0, z / 2)


@pytest.mark.parametrize("npoly", [3, 60])
def test_rings_take_any_number_of_points(npoly):
    robot = load("disc").with_npoly(npoly)
    points = np.array([f.position for f in robot.features(Standing("disc").model)])
    assert len(points) == 2 * npoly
    for half in np.split(points, 2):
        np.testing.assert_allclose(np.hypot(half[:, 0], half[:, 2]), 0.05, rtol=1e-14)
        apart = np.linalg.norm(np.roll(half, 1, axis=0) - half, axis=1)
        np.testing.assert_allclose(apart, 0.1 * np.sin(np.pi / npoly), rtol=1e-12)


def test_a_robot_without_rings_takes_no_number_of_points():
    with pytest.raises(RobotError, match='"coin" has no contact feature of the kind "ring"'):
        load("coin").with_npoly(20)


def test_the_pendulum_is_a_rod_about_its_end():
    """Moment about the hinge: m h^2 / 3 + m r^2 / 4 for a cylinder."""
    standing = Standing("pendulum")
    assert standing.M.shape == (1, 1)
    assert standing.M[0, 0] == pytest.approx(1.0 / 3.0 + 0.02**2 / 4.0, rel=1e-11)


def test_rrbot_is_the_published_double_pendulum():
    """Two links of 1 kg and 1 kg m^2, damping 0.7; M of a planar 2R arm in its upright pose."""
    standing = Standing("rrbot")
    l1, c = 0.9, 0.45
    M22 = 1.0 + c**2
    M12 = M22 + l1 * c
    M11 = 2.0 + c**2 + l1**2 + c**2 + 2 * l1 * c
    np.testing.assert_allclose(standing.M, [[M11, M12], [M12, M22]], rtol=1e-14)
    damping, armature, _ = standing.robot.joint_parameters(standing.model)
    assert damping.tolist() == [0.7, 0.7]
    assert armature.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_a_model_of_primitives_is_what_its_script_writes(name, tmp_path):
    folder = load(name).file.parent
    script = tmp_path / "make_model.py"
    script.write_text((folder / "make_model.py").read_text())
    runpy.run_path(str(script), run_name="__main__")
    assert (tmp_path / "model.urdf").read_text() == (folder / "model.urdf").read_text()


def test_a_turned_base_is_turned_about_the_vertical():
    yaw = load("icub").spec.base_orientation[2]
    np.testing.assert_allclose(rotation_from_rpy((0, 0, yaw)), np.diag([-1, -1, 1]), atol=2e-16)

"""A ``floating`` or ``planar`` joint at the root of a URDF is a base, with Pinocchio's dynamics."""

import numpy as np
import pinocchio
import pytest
from tests.core.walker_urdf import inertial, revolute, walker
from tests.plugins.engine_models import engine

from footfall.api.plugin import RobotError
from footfall.model.robot import Robot
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model

GRAVITY = np.array([1.5, -3.0, -8.0])
WORLD = '<link name="earth"/>'
PLACED = '<origin xyz="1 2 3" rpy="0.3 0.4 0.5"/>'


def root(kind, inside="", child="trunk"):
    return (
        f'<joint name="root" type="{kind}"><parent link="earth"/><child link="{child}"/>'
        f"{inside}</joint>"
    )


def body(extra=""):
    """Return a trunk with an arm of two joints, no two axes alike."""
    trunk = inertial(3, 0.2).replace("<mass", '<origin xyz="0.1 -0.2 0.05"/><mass')
    arm = f'<link name="upper">{inertial(1)}</link><link name="lower">{inertial(0.5)}</link>'
    joints = revolute("a", "trunk", "upper", "0.1 0.2 0.3")
    joints += revolute("b", "upper", "lower", "0 0.1 0.2").replace("0 1 0", "1 0 2")
    return f'<robot name="it"><link name="trunk">{trunk}</link>{arm}{joints}{extra}</robot>'


def read(folder, text):
    path = folder / "it.urdf"
    path.write_text(text)
    return read_model(locate(str(path)))


def dynamics(text, q, v, gravity, floating=False):
    """Return Pinocchio's inertia matrix and bias force of a URDF as it reads it."""
    kinds = [pinocchio.JointModelFreeFlyer()] if floating else []
    model = pinocchio.buildModelFromXML(text, *kinds)
    model.gravity.linear[:] = gravity
    data = model.createData()
    M = pinocchio.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    return M, pinocchio.nonLinearEffects(model, data, q, v)


def test_a_floating_root_joint_is_a_floating_base(tmp_path):
    model = read(tmp_path, body(WORLD + root("floating", PLACED)))
    assert model.base == "floating"
    assert "earth" not in model.urdf.links
    np.testing.assert_allclose(model.start.translation, [1, 2, 3])
    np.testing.assert_allclose(model.start.rpy, [0.3, 0.4, 0.5], atol=1e-15)
    tree = engine("pinocchio").load(
        Robot.from_urdf("it", model.urdf, "floating").source("it", GRAVITY)
    )
    rng = np.random.default_rng(1)
    q = np.array([*rng.normal(size=3), 0.5, -0.5, 0.5, 0.5, *rng.normal(size=2)])
    tree.evaluate(q, np.zeros(8))
    M, h = dynamics(body(), q, np.zeros(8), GRAVITY, floating=True)
    np.testing.assert_allclose(tree.M, M, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(tree.h, h, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 1, 0), (1, 2, -2), (0, 0, -3)])
@pytest.mark.parametrize("placed", ["", PLACED])
def test_a_planar_root_joint_is_a_planar_base(tmp_path, axis, placed):
    given = placed + '<axis xyz="{} {} {}"/>'.format(*axis)
    model = read(tmp_path, body(WORLD + root("planar", given)))
    assert model.base == "planar"
    at = pinocchio.rpy.rpyToMatrix(0.3, 0.4, 0.5) if placed else np.eye(3)
    axes = at.T @ model.start.rotation
    np.testing.assert_allclose(axes[:, 1], np.array(axis) / np.linalg.norm(axis), atol=1e-15)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-15)
    assert np.linalg.det(axes) > 0
    robot = Robot.from_urdf("it", model.urdf, "planar")
    tree = engine("pinocchio").load(robot.source("it", GRAVITY, "planar", model.start))
    x, y, z = ("{} {} {}".format(*column) for column in axes.T)
    chain = [("x", "prismatic", x), ("z", "prismatic", z), ("turn", "continuous", y)]
    links, parent, joints = "", "earth", ""
    for name, kind, direction in chain:
        child = "trunk" if kind == "continuous" else name
        links += f'<link name="{name}"/>' if child != "trunk" else ""
        joints += (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'{placed if parent == "earth" else ""}<axis xyz="{direction}"/>'
            '<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>'
        )
        parent = child
    text = body(WORLD + links + joints)
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=(2, 5))
    tree.evaluate(q, v)
    theirs = np.array([*q[:2], np.cos(q[2]), np.sin(q[2]), *q[3:]])
    M, h = dynamics(text, theirs, v, GRAVITY)
    np.testing.assert_allclose(tree.M, M, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(tree.h, h, rtol=1e-12, atol=1e-11)


def test_what_stands_before_it_and_its_limits_are_told(tmp_path):
    inside = '<limit effort="1" velocity="1" lower="-1" upper="1"/><dynamics damping="2"/>'
    earth = f'<link name="earth">{inertial(5)}</link>'
    model = read(tmp_path, body(earth + root("floating", inside)))
    lost = {finding.subject: finding for finding in model.findings if finding.lost}
    assert 'link "earth"' in lost
    assert "mass" in lost['link "earth"'].text
    texts = [f.text for f in model.findings if f.subject == 'joint "root"']
    assert any("<limit>" in text for text in texts)
    assert any("<dynamics>" in t for t in texts)


@pytest.mark.parametrize(
    "extra",
    [
        WORLD + root("floating") + '<link name="wall"/><joint name="w" type="fixed">'
        '<parent link="earth"/><child link="wall"/></joint>',
        '<link name="wheel"/><joint name="root" type="planar"><parent link="lower"/>'
        '<child link="wheel"/></joint>',
    ],
)
def test_it_is_refused_elsewhere_by_name(tmp_path, extra):
    with pytest.raises(RobotError, match=r'joint "root".*single joint on the root link'):
        read(tmp_path, body(extra))


def test_a_walker_on_a_floating_joint_is_proposed_as_the_walker(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    found = []
    for folder, extra in ((one, ""), (two, WORLD + root("floating", '<origin xyz="0 0 2"/>'))):
        folder.mkdir()
        path = folder / "walker.urdf"
        path.write_text(walker(extra=extra))
        located = locate(str(path))
        found.append(propose(located, read_model(located), Wishes(), discover()))
    plain, moved = found
    assert (moved.base, moved.base_height) == ("floating", plain.base_height)
    for mine, theirs in zip(moved.soles, plain.soles, strict=True):
        np.testing.assert_array_equal(mine.points, theirs.points)
    assert moved.base_origin == "as the model says"


SLIDES = "".join(
    f'<joint name="t{x}" type="slide" axis="{axis}" range="-9 9"/>'
    for x, axis in zip("xyz", ("1 0 0", "0 1 0", "0 0 1"), strict=True)
)
HINGES = (
    '<joint name="tilt" axis="0 1 0"/><joint name="list" axis="1 0 0"/>'
    '<joint name="turn" axis="0 0 1" {}/>'
)
BIPED = """<mujoco><compiler angle="radian"/><worldbody><body name="pelvis" pos="0 0 0.62">{}
<geom type="box" size=".1 .15 .1" mass="10"/>
<body name="l" pos="0 .1 -.1"><joint name="lh" axis="0 1 0" range="-1 1"/>
  <geom type="box" size=".1 .05 .2" pos="0 0 -.2" mass="2"/></body>
<body name="r" pos="0 -.1 -.1"><joint name="rh" axis="0 1 0" range="-1 1"/>
  <geom type="box" size=".1 .05 .2" pos="0 0 -.2" mass="2"/></body>
</body></worldbody>{}</mujoco>"""
POSED = '<keyframe><key name="home" qpos="1 2 3 0.4 0 0.5 0.1 0.1"/></keyframe>'
DRIVEN = '<actuator><motor joint="tz"/></actuator>'


def biped(folder, root, rest="", **options):
    path = folder / "it.xml"
    path.write_text(BIPED.format(root, rest))
    return read_model(locate(str(path)), **options)


def test_three_slides_and_three_hinges_are_a_floating_base(tmp_path):
    model = biped(tmp_path, SLIDES + HINGES.format(""), POSED)
    assert (model.base, model.urdf.root, model.urdf.movable) == ("floating", "pelvis", ("lh", "rh"))
    np.testing.assert_allclose(model.start.translation, [0.0, 0.0, 0.62])
    told = [finding for finding in model.findings if finding.subject == "base"]
    assert [(each.level, each.lost) for each in told] == [("note", False)]
    assert "tx, ty, tz, tilt, list, turn from the world: taken as a floating base" in told[0].text
    (posture,) = model.postures
    half = np.array([0.2, 0.25])  # about y, then about the turned z
    (cy, cz), (sy, sz) = np.cos(half), np.sin(half)
    np.testing.assert_allclose(posture.quaternion, [sy * sz, sy * cz, cy * sz, cy * cz], atol=1e-12)


@pytest.mark.parametrize(
    ("root", "rest", "options"),
    [
        (SLIDES + HINGES.format(""), "", {"joints": True}),
        (SLIDES + HINGES.format(""), DRIVEN, {}),
        (SLIDES + HINGES.format('stiffness="5"'), "", {}),
        (SLIDES.replace("0 0 1", "1 0 0") + HINGES.format(""), "", {}),
    ],
)
def test_slides_that_are_a_machines_stay_joints(tmp_path, root, rest, options):
    model = biped(tmp_path, root, rest, **options)
    assert model.base == "fixed"
    assert "tx" in model.urdf.movable


def test_damping_of_such_a_base_is_told_as_lost(tmp_path):
    model = biped(tmp_path, SLIDES + HINGES.format('damping="5"'))
    assert [each.lost for each in model.findings if each.subject == "base"] == [True]


def rover(effort, hinge="0 0 1"):
    """Return a body on two slides and a hinge, 0.3 m above the world."""
    limit = f'<limit lower="-9" upper="9" effort="{effort}" velocity="1"/>'
    links = "".join(f'<link name="{name}"/>' for name in ("map", "a", "b"))
    joints = ""
    for name, parent, child, kind, axis in (
        ("x", "map", "a", "prismatic", "1 0 0"),
        ("y", "a", "b", "prismatic", "0 1 0"),
        ("yaw", "b", "trunk", "revolute", hinge),
    ):
        joints += (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0 0 0.1"/><axis xyz="{axis}"/>{limit}</joint>'
        )
    return body(links + joints)


def test_two_slides_and_a_hinge_of_a_urdf_are_a_planar_base(tmp_path):
    model = read(tmp_path, rover(0))
    assert model.base == "planar"
    assert model.urdf.movable == ("a", "b")
    np.testing.assert_allclose(model.start.translation, [0.0, 0.0, 0.3])
    np.testing.assert_allclose(model.start.rotation[:, 1], [0.0, 0.0, 1.0], atol=1e-15)


@pytest.mark.parametrize("text", [rover(50), rover(0, "0 1 0")])
def test_driven_ones_or_others_are_joints_of_a_fixed_base(tmp_path, text):
    path = tmp_path / "it.urdf"
    path.write_text(text)
    located = locate(str(path))
    found = propose(located, read_model(located), Wishes(), discover())
    assert found.base == "fixed"
    assert found.base_origin == 'the root link "map" has no mass and carries one joint'
    with pytest.raises(RobotError, match="cannot move: use --base fixed"):
        propose(located, read_model(located), Wishes(base="floating"), discover())


def test_a_ball_joint_becomes_three_hinges_about_its_frame(tmp_path):
    ball = (
        f'<link name="ball">{inertial(1)}</link><joint name="s" type="spherical">{PLACED}'
        '<parent link="lower"/><child link="ball"/><dynamics damping="0.5"/></joint>'
    )
    model = read(tmp_path, body(ball))
    hinges = [model.urdf.joints[f"s_{axis}"] for axis in "xyz"]
    assert [(j.parent, j.child) for j in hinges] == [
        ("lower", "s_x"),
        ("s_x", "s_y"),
        ("s_y", "ball"),
    ]
    np.testing.assert_allclose([j.axis for j in hinges], np.eye(3))
    np.testing.assert_allclose(
        [j.origin.translation for j in hinges], [[1, 2, 3], [0] * 3, [0] * 3]
    )
    np.testing.assert_allclose(hinges[0].origin.rpy, [0.3, 0.4, 0.5], atol=1e-12)
    assert [j.damping for j in hinges] == [0.5] * 3
    assert 'ball joint "s"' in [finding.subject for finding in model.findings]


def test_trees_of_a_urdf_are_bodies_that_can_be_chosen(tmp_path):
    other = f'<link name="box">{inertial(1)}</link><link name="lid">{inertial(1)}</link>'
    other += revolute("hinge", "box", "lid", "0 0 0").replace("revolute", "continuous")
    model = read(tmp_path, body(other))
    assert (model.root, model.urdf.movable) == ("trunk", ("a", "b"))
    assert [(each.root, each.urdf.movable) for each in model.others] == [("box", ("hinge",))]
    located = locate(str(tmp_path / "it.urdf"))
    alone = read_model(located, body="box")
    assert (alone.urdf.movable, alone.others) == (("hinge",), ())
    with pytest.raises(RobotError, match="no model \"bx\", did you mean 'box'"):
        read_model(located, body="bx")


def test_the_world_need_not_be_written_out(tmp_path):
    weld = '<joint name="w" type="fixed"><parent link="world"/><child link="trunk"/></joint>'
    assert read(tmp_path, body(weld)).urdf.root == "world"

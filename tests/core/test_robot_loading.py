"""Robots are found by name or path, and say how they stand, touch and look."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest
from tests.robots.sample_urdf import INERTIAL, arm, joint, link, write

from footfall.errors import RobotError
from footfall.interfaces.engine import LinkFrame, TreeModel
from footfall.model import source as package_file
from footfall.model.robot import Robot, list_robots, load_robot
from footfall.spatial.pose import Pose

GRAVITY = np.array([0.0, 0.0, -9.81])
JOINTS = ("l_elbow", "l_wrist", "r_elbow")


def spec(folder: Path, text: str = "", head: str = "") -> Path:
    path = folder / "robot.toml"
    path.write_text(f'{head}\n[model]\nfile = "sample.urdf"\n{text}')
    return path


def arms(folder: Path) -> Path:
    """A torso with two arms; the left one has two joints."""
    return write(
        folder,
        *(link(name) for name in ("torso", "l_fore", "l_hand", "r_fore")),
        joint("l_elbow", "torso", "l_fore"),
        joint("l_wrist", "l_fore", "l_hand"),
        joint("r_elbow", "torso", "r_fore"),
        link("palm", ""),
        joint("palm_fixed", "l_hand", "palm", "fixed", '<origin xyz="0 0 1" rpy="0 0.5 0"/>'),
    )


def tree(joints: tuple[str, ...] = JOINTS, frames: dict[str, LinkFrame] | None = None) -> TreeModel:
    """Return what an engine would say of the joints and frames; the rest is not looked at."""
    n = len(joints)
    links = n + 1
    return TreeModel(
        base="fixed",
        joint_names=joints,
        dof_parent=np.full(n, -1),
        link_dof=np.arange(-1, n),
        link_names=tuple(f"link{i}" for i in range(links)),
        link_mass=np.ones(links),
        link_com=np.zeros((links, 3)),
        link_inertia=np.tile(np.eye(3), (links, 1, 1)),
        position_lower=np.full(n, -np.inf),
        position_upper=np.full(n, np.inf),
        velocity_limit=np.full(n, np.inf),
        effort_limit=np.full(n, np.inf),
        damping=np.full(n, 0.1),
        friction=np.full(n, 0.2),
        armature=np.full(n, 0.3),
        frames=frames or {},
    )


def error_of(reference: str, folder: Path | None = None) -> str:
    with pytest.raises(RobotError) as caught:
        load_robot(reference, folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Finding robots


def test_a_urdf_alone_is_a_floating_robot_with_all_its_joints(tmp_path):
    arms(tmp_path)
    robot = load_robot("sample.urdf", tmp_path)
    assert (robot.name, robot.base, robot.kept) == ("sample", "floating", JOINTS)
    assert robot.features(tree()) == ()


@pytest.mark.parametrize("reference", ["{}", "{}/robot.toml"])
def test_a_folder_or_its_robot_file_are_named_after_the_folder(tmp_path, reference):
    folder = tmp_path / "gripper"
    folder.mkdir()
    spec(folder)
    arms(folder)
    assert load_robot(reference.format("gripper"), tmp_path).name == "gripper"
    assert load_robot(reference.format(folder)).name == "gripper"


def test_paths_are_relative_to_the_working_directory_by_default(tmp_path, monkeypatch):
    arms(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert load_robot("sample.urdf").kept == JOINTS


def test_an_unknown_robot_offers_the_nearest():
    said = error_of("iccub")
    assert said.startswith("no robot \"iccub\", did you mean 'icub'? (robots: allegro, ball, ")


@pytest.mark.parametrize("reference", ["nothing.urdf", "some/folder", "robot.toml", "x.xml"])
def test_a_path_that_is_not_there(tmp_path, reference):
    said = error_of(reference, tmp_path)
    assert said == f'robot "{reference}": {tmp_path / reference}: no such file'


def test_a_file_of_another_kind(tmp_path):
    (tmp_path / "robot.sdf").write_text("")
    assert "must be a .toml, .urdf, .xml or .mjcf file" in error_of("robot.sdf", tmp_path)


def test_a_missing_package_says_the_pip_line(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text('[model]\nfile = "m.urdf"\npackage = "no-such-models"\nextra = "extra"\n')
    name = tmp_path.name
    wanted = f'robot "{name}" needs "no-such-models": pip install -e ".[extra]"'
    assert error_of("robot.toml", tmp_path) == wanted
    path.write_text(path.read_text().replace('extra = "extra"', ""))
    assert error_of("robot.toml", tmp_path).endswith('pip install "no-such-models"')


@pytest.mark.parametrize(
    ("robot", "package"), [("icub", "icub-models"), ("jvrc", "jvrc_description")]
)
def test_a_robot_without_its_package_says_the_pip_line(robot, package, monkeypatch):
    def not_installed(name: str):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(package_file, "distribution", not_installed)
    wanted = f'robot "{robot}" needs "{package}": pip install -e ".[{robot}]"'
    assert error_of(robot) == wanted


def test_a_file_inside_an_installed_package_is_found_by_its_last_folders(tmp_path):
    (tmp_path / "robot.toml").write_text('[model]\nfile = "no/such.urdf"\npackage = "numpy"\n')
    assert f'robot "{tmp_path.name}": package numpy ' in error_of("robot.toml", tmp_path)
    # Any file will do to see that it is found: it is then refused for what it is.
    (tmp_path / "robot.toml").write_text('[model]\nfile = "numpy/version.py"\npackage = "numpy"\n')
    said = error_of("robot.toml", tmp_path)
    assert "numpy/version.py:" in said
    assert "malformed XML" in said


def test_a_missing_model_file_is_named(tmp_path):
    spec(tmp_path)
    assert error_of("robot.toml", tmp_path) == f"{tmp_path / 'sample.urdf'}: no such file"


def test_every_listed_robot_is_a_folder_with_a_robot_file():
    assert {"icub", "humanoid", "cube"} <= set(list_robots())


# Joints


def robot_with(folder: Path, text: str = "", head: str = "") -> Robot:
    arms(folder)
    return load_robot(str(spec(folder, text, head)))


def test_kept_joints_are_in_canonical_order_whatever_the_patterns_order(tmp_path):
    robot = robot_with(tmp_path, head='joints = ["r_*", "l_wrist"]')
    assert robot.kept == ("l_wrist", "r_elbow")
    source = robot.source("body", GRAVITY)
    assert source.joints == ("l_wrist", "r_elbow")
    assert (source.name, source.base, source.format) == ("body", "floating", "urdf")
    assert source.xml.count('type="revolute"') == 2


@pytest.mark.parametrize(
    ("text", "head", "said"),
    [
        ("", 'joints = ["l_elbo"]', "joints: no joint is named or matches 'l_elbo', did you mean"),
        ("", 'joints = ["z*"]', "matches 'z*' (joints: l_elbow, l_wrist, r_elbow)"),
        ("[posture]\nr_wrist = 1.0", "", "posture: no joint is named or matches 'r_wrist'"),
        ('[joint_dynamics."q*"]', "", "joint_dynamics: no joint is named or matches 'q*'"),
    ],
)
def test_joints_that_do_not_exist_are_refused_when_loading(tmp_path, text, head, said):
    arms(tmp_path)
    path = spec(tmp_path, text, head)
    message = error_of(str(path))
    assert message.startswith(str(path))
    assert said in message


def test_the_posture_is_zero_but_for_the_patterns_and_later_ones_win(tmp_path):
    robot = robot_with(tmp_path, '[posture]\n"*_elbow" = 0.5\nr_elbow = 0.25')
    assert robot.posture(tree()).tolist() == [0.5, 0.0, 0.25]


def test_joints_that_are_not_kept_are_locked_at_the_posture(tmp_path):
    robot = robot_with(tmp_path, '[posture]\n"*" = 0.5\n', 'joints = ["r_elbow"]')
    assert robot.locked == {"l_elbow": 0.5, "l_wrist": 0.5}
    half = '<origin xyz="0.0 0.0 0.0" rpy="0.0 0.5 0.0" />'
    assert robot.source("body", GRAVITY).xml.count(half) == 2


def test_joint_parameters_replace_the_model_files(tmp_path):
    text = '[joint_dynamics."l_*"]\ndamping = 1.0\n[joint_dynamics.l_wrist]\narmature = 2.0'
    robot = robot_with(tmp_path, text)
    model = tree()
    damping, armature, friction = robot.joint_parameters(model)
    assert damping.tolist() == [1.0, 0.1, 0.1]
    assert armature.tolist() == [0.3, 2.0, 0.3]
    assert friction.tolist() == [0.2, 0.2, 0.2]
    assert model.damping.tolist() == [0.1, 0.1, 0.1]


# Bases


def test_the_scene_may_hold_the_root_in_another_way(tmp_path):
    robot = robot_with(tmp_path, head='base = "fixed"')
    assert robot.base == "fixed"
    assert robot.source("body", GRAVITY).base == "fixed"
    assert robot.source("body", GRAVITY, base="floating").base == "floating"
    planar = robot.source("body", GRAVITY, base="planar")
    assert planar.base == "fixed"
    assert planar.joints == ("planar_x", "planar_z", "planar_pitch", *JOINTS)


def test_only_a_free_body_without_joints_needs_no_engine(tmp_path):
    assert robot_with(tmp_path).rigid_body() is None
    locked = robot_with(tmp_path, head="joints = []")
    body = locked.rigid_body()
    assert body is not None
    assert body.mass == 8.0
    assert locked.rigid_body(base="fixed") is None


def test_impossible_inertias_are_refused_when_an_engine_is_to_load_them(tmp_path):
    arm(tmp_path, child=INERTIAL.replace('izz="0.04"', 'izz="0.4"'))
    robot = load_robot("sample.urdf", tmp_path)
    with pytest.raises(RobotError, match='link "hand": inertia violates the triangle inequality'):
        robot.source("body", GRAVITY)


# MJCF

MJCF = """<mujoco><default><joint name="not_me"/></default><worldbody><body name="a">{free}
<geom size="0.1" mass="1"/><joint name="hip" type="hinge"/>
<body name="b"><joint name="knee"/><geom size="0.1" mass="1"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("free", "base"),
    [("", "fixed"), ("<freejoint/>", "floating"), ('<joint type="free"/>', "floating")],
)
def test_an_mjcf_says_by_itself_whether_it_floats(tmp_path, free, base):
    (tmp_path / "m.xml").write_text(MJCF.format(free=free))
    robot = load_robot("m.xml", tmp_path)
    assert (robot.base, robot.kept, robot.urdf) == (base, ("hip", "knee"), None)
    source = robot.source("body", GRAVITY)
    assert (source.format, source.base, source.joints) == ("mjcf", base, None)
    assert source.path == str(tmp_path / "m.xml")
    assert robot.rigid_body() is None
    other = {"fixed": "floating", "floating": "fixed"}[base]
    for wrong in (other, "planar"):
        with pytest.raises(RobotError, match=f"so its base cannot be {wrong}"):
            robot.source("body", GRAVITY, base=wrong)


def test_an_mjcf_with_a_fixed_base_stands_where_its_file_says(tmp_path):
    (tmp_path / "m.xml").write_text(MJCF.format(free=""))
    robot = load_robot("m.xml", tmp_path)
    assert robot.source("body", GRAVITY, placement=Pose.identity()).base == "fixed"
    with pytest.raises(RobotError, match="stands where its file says"):
        robot.source("body", GRAVITY, placement=Pose.from_rpy((0, 0, 1), (0, 0, 0)))


def test_joints_of_an_mjcf_are_kept_and_locked_by_the_same_patterns(tmp_path):
    (tmp_path / "m.xml").write_text(MJCF.format(free=""))
    head = 'joints = ["knee"]\n[posture]\nhip = 0.5'
    (tmp_path / "robot.toml").write_text(f'{head}\n[model]\nfile = "m.xml"\n')
    source = load_robot(str(tmp_path / "robot.toml")).source("body", GRAVITY)
    assert source.joints == ("knee",)
    assert source.locked == {"hip": 0.5}


def test_an_mjcf_is_followed_into_its_includes(tmp_path):
    (tmp_path / "leg.xml").write_text('<mujocoinclude><joint name="ankle"/></mujocoinclude>')
    text = MJCF.format(free='<include file="leg.xml"/>')
    (tmp_path / "m.xml").write_text(text)
    assert load_robot("m.xml", tmp_path).kept == ("ankle", "hip", "knee")
    (tmp_path / "m.xml").write_text(text.replace("leg.xml", "log.xml"))
    assert error_of("m.xml", tmp_path) == f"{tmp_path / 'log.xml'}: no such file"


def test_a_urdf_called_an_mjcf_is_refused(tmp_path):
    arms(tmp_path).rename(tmp_path / "m.xml")
    assert "is not an MJCF: it begins with <robot>" in error_of("m.xml", tmp_path)
    (tmp_path / "robot.toml").write_text('[model]\nfile = "m.xml"\nformat = "urdf"\n')
    assert load_robot(str(tmp_path / "robot.toml")).kept == JOINTS


# Features and visuals

QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
FRAMES = {"palm": LinkFrame(2, QUARTER, np.array([0.0, 0.0, 1.0]))}
FEATURES = """
[contact]
friction = 0.5
[[contact_features]]
frame = "palm"
kind = "point"
points = [[1, 0, 0], [0, 1, 0]]
[[contact_features]]
frame = "palm"
kind = "sphere"
radius = 0.1
friction = 0.25
restitution = 0.75
[[contact_features]]
frame = "palm"
name = "wheel"
kind = "rim"
radius = 0.2
axis = [2, 0, 0]
center = [0, 0, 1]
"""


def test_features_are_placed_in_their_links_frames(tmp_path):
    features = robot_with(tmp_path, FEATURES).features(tree(frames=FRAMES))
    assert [f.name for f in features] == ["palm/0", "palm/1", "palm/2", "wheel/0"]
    assert [f.kind for f in features] == ["point", "point", "sphere", "rim"]
    assert [f.link for f in features] == [2, 2, 2, 2]
    assert [f.radius for f in features] == [0.0, 0.0, 0.1, 0.2]
    positions = [[0, 1, 1], [-1, 0, 1], [0, 0, 1], [0, 0, 2]]
    np.testing.assert_allclose([f.position for f in features], positions, atol=1e-16)
    np.testing.assert_allclose(features[3].axis, [0, 1, 0], atol=1e-16)
    assert features[0].axis.tolist() == [0, 0, 0]


def test_a_features_coefficients_are_its_own_then_the_robots_then_none(tmp_path):
    features = robot_with(tmp_path, FEATURES).features(tree(frames=FRAMES))
    assert [f.friction for f in features] == [0.5, 0.5, 0.25, 0.5]
    assert np.isnan([f.restitution for f in features]).tolist() == [True, True, False, True]
    assert features[2].restitution == 0.75


def test_a_feature_on_a_frame_that_is_not_there_offers_the_nearest(tmp_path):
    robot = robot_with(tmp_path, FEATURES.replace('"palm"', '"plam"'))
    with pytest.raises(RobotError) as caught:
        robot.features(tree(frames=FRAMES))
    wanted = f"{robot.file}: contact_features: no link or frame \"plam\", did you mean 'palm'?"
    assert str(caught.value) == wanted


def test_visuals_are_placed_in_their_links_frames(tmp_path):
    shape = '<visual><origin xyz="1 0 0"/><geometry><box size="1 1 1"/></geometry>{}</visual>'
    red = '<material name="r"><color rgba="1 0 0 1"/></material>'
    write(tmp_path, link("palm", INERTIAL + shape.format("") + shape.format(red)))
    robot = load_robot("sample.urdf", tmp_path)
    nodes = robot.visuals("body", tree(frames=FRAMES))
    assert [node.name for node in nodes] == ["body/palm/0", "body/palm/1"]
    assert [node.link for node in nodes] == [2, 2]
    np.testing.assert_allclose(nodes[0].translation, [0, 1, 1], atol=1e-16)
    np.testing.assert_allclose(nodes[0].rotation, QUARTER, atol=1e-16)
    assert nodes[1].color == (1.0, 0.0, 0.0, 1.0)
    assert nodes[0].color != nodes[1].color


OFFSET = '[model]\nfile = "sample.urdf"\n[visual_offsets]\n{} = [0.0, 0.5, 0.0]\n'


def test_what_is_drawn_of_a_link_is_shifted_along_its_own_axes(tmp_path):
    shape = '<visual><origin xyz="1 0 0"/><geometry><box size="1 1 1"/></geometry></visual>'
    write(tmp_path, link("palm", INERTIAL + shape))
    (plain,) = load_robot("sample.urdf", tmp_path).visuals("body", tree(frames=FRAMES))
    (tmp_path / "robot.toml").write_text(OFFSET.format("palm"))
    (node,) = load_robot("robot.toml", tmp_path).visuals("body", tree(frames=FRAMES))
    moved = QUARTER @ [0.0, 0.5, 0.0]
    np.testing.assert_allclose(node.translation - plain.translation, moved, atol=1e-16)
    np.testing.assert_array_equal(node.rotation, plain.rotation)


def test_a_shift_of_a_link_that_is_not_drawn_is_refused(tmp_path):
    shape = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    write(tmp_path, link("palm", INERTIAL + shape))
    (tmp_path / "robot.toml").write_text(OFFSET.format("plam"))
    robot = load_robot("robot.toml", tmp_path)
    with pytest.raises(RobotError, match=r"robot\.toml: visual_offsets: .*'plam', did you mean"):
        robot.visuals("body", tree(frames=FRAMES))


def test_a_visual_whose_link_the_engine_does_not_know_is_an_error(tmp_path):
    shape = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    write(tmp_path, link("palm", INERTIAL + shape))
    with pytest.raises(RobotError, match='link "palm": the engine gives no frame for it'):
        load_robot("sample.urdf", tmp_path).visuals("body", tree())

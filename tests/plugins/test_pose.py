"""``footfall.pose``: frames end where they are asked to, by angles that closed forms know too."""

import tomllib

import numpy as np
import pytest
from tests.plugins.engine_models import engine
from tests.robot_packages import need_module, need_package

import footfall
from footfall.cli.main import main
from footfall.errors import RobotError, SceneError
from footfall.model.robot import load_robot
from footfall.spatial.pose import rotation_from_rpy
from footfall_import.pose.scene_text import with_keys, with_values

need_module("pink", "pose")
ARM = """<robot name="arm"><link name="base"/>
<link name="upper">{m}</link><link name="lower">{m}</link><link name="tip"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
<limit lower="{lower}" upper="{upper}" effort="9" velocity="9"/>{mimic}</joint>
<joint name="end" type="fixed"><parent link="lower"/><child link="tip"/>
<origin xyz="0 0 0.4"/></joint></robot>"""
MASS = (
    '<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" '
    'ixy="0" ixz="0" iyz="0"/></inertial>'
)
A, B = 0.5, 0.4
"""Lengths of the arm's two links, [m]."""
SCENE = """# kept
[world.terrain]
plugin = "plane"
friction = 0.5

[bodies.arm]  # kept too
robot = "robot.toml"
joint_positions = { shoulder = 0.2, elbow = 0.9 }
[bodies.arm.controller]
plugin = "posture"
# kept as well
[bodies.arm.controller.feed_forward]
shoulder = 5.0
"""


@pytest.fixture
def arm(tmp_path):
    """Return a function that writes an arm's robot and scene, and gives the scene's path."""

    def arm(lower=-2.5, upper=2.5, mimic="", base="fixed", place="[0.1, 0.2, 0.3]"):
        text = ARM.format(m=MASS, lower=lower, upper=upper, mimic=mimic)
        (tmp_path / "arm.urdf").write_text(text)
        (tmp_path / "robot.toml").write_text(
            f'base = "{base}"\nbase_position = {place}\n[model]\nfile = "arm.urdf"\n'
        )
        (tmp_path / "scene.toml").write_text(SCENE)
        return str(tmp_path / "scene.toml")

    return arm


def bent(x, z, sign):
    """Return shoulder and elbow whose tip is at (x, z) from the shoulder: law of cosines."""
    elbow = sign * np.arccos((x * x + z * z - A * A - B * B) / (2 * A * B))
    return np.arctan2(x, z) - np.arctan2(B * np.sin(elbow), A + B * np.cos(elbow)), elbow


@pytest.mark.parametrize(("start", "sign"), [(0.9, 1), (-0.9, -1)])
def test_an_arm_bends_by_the_angles_of_the_law_of_cosines_on_the_side_it_starts(arm, start, sign):
    found = footfall.pose(arm(), {"tip": (0.5, 0.2, 0.7)}, start={"elbow": start})
    expected = bent(0.4, 0.4, sign)
    values = [found.joint_positions[name] for name in ("shoulder", "elbow")]
    np.testing.assert_allclose(values, expected, atol=1e-6)
    assert found.base_position is None


def test_where_its_side_is_shut_by_a_limit_it_takes_the_other(arm):
    found = footfall.pose(arm(upper=0.95, lower=-2.5), {"tip": (0.5, 0.2, 0.7)})
    values = [found.joint_positions[name] for name in ("shoulder", "elbow")]
    np.testing.assert_allclose(values, bent(0.4, 0.4, -1), atol=1e-6)


def test_what_cannot_be_reached_is_told_with_the_distance(arm):
    with pytest.raises(RobotError, match=r"'tip' reaches at most 0.9 m from there, and its goal"):
        footfall.pose(arm(), {"tip": (1.1, 0.2, 0.3)})
    stretched = arm(lower=-0.01, upper=0.01)  # its tip stays A + B from the shoulder
    with pytest.raises(RobotError, match=r"'tip' comes within 40[01] mm.*at their limits: elbow"):
        footfall.pose(stretched, {"tip": (0.6, 0.2, 0.3)})


def test_a_joint_that_follows_another_does_so(arm):
    mimic = '<mimic joint="shoulder" multiplier="-2" offset="0.1"/>'
    want = 0.7
    x = 0.1 + A * np.sin(want) + B * np.sin(0.1 - want)
    z = 0.3 + A * np.cos(want) + B * np.cos(0.1 - want)
    found = footfall.pose(arm(mimic=mimic), {"tip": (x, 0.2, z)})
    assert found.joint_positions["shoulder"] == pytest.approx(want, abs=1e-6)
    assert found.joint_positions["elbow"] == pytest.approx(0.1 - 2 * want, abs=1e-6)


def test_holding_torques_are_those_of_the_weight(arm):
    found = footfall.pose(arm(), {"tip": (0.5, 0.2, 0.7)})
    s, e = (found.joint_positions[name] for name in ("shoulder", "elbow"))

    def across(angle, x, z):
        return x * np.cos(angle) + z * np.sin(angle)

    lower = across(s + e, 0.1, 0.2)
    moments = across(s, 0.1, 0.2) + A * np.sin(s) + lower, lower
    expected = [-2.0 * 9.81 * moment for moment in moments]
    np.testing.assert_allclose(
        [found.holding["shoulder"], found.holding["elbow"]], expected, rtol=1e-9
    )


def test_a_base_that_is_held_by_its_feet_moves_and_they_stay():
    need_package("humanoid/standing")
    place, turn = (0.38, 0.2, 0.9), (0.1, 0.2, 0.3)
    scene = footfall.load_scene("humanoid/standing")
    found = footfall.pose(scene, {"l_palm": (*place, *turn)}, hold=("l_sole", "r_sole"))
    sim = footfall.load("humanoid/standing", found.overrides())
    before = footfall.load("humanoid/standing")
    robot = load_robot("humanoid")
    tree = engine("featherstone").load(robot.source("humanoid", np.zeros(3)))
    poses = []
    for each in (before, sim):
        tree.evaluate(each.q, np.zeros(tree.model.nv))
        frames = [tree.model.frames[name] for name in ("l_sole", "r_sole", "l_palm")]
        links = [tree.pose[frame.link] for frame in frames]
        poses.append(
            [
                (
                    link[:9].reshape(3, 3).T @ f.translation + link[9:],
                    link[:9].reshape(3, 3).T @ f.rotation,
                )
                for link, f in zip(links, frames, strict=True)
            ]
        )
    for foot in (0, 1):
        for first, then in zip(poses[0][foot], poses[1][foot], strict=True):
            np.testing.assert_allclose(then, first, atol=1e-5)
    np.testing.assert_allclose(poses[1][2][0], place, atol=1e-5)
    np.testing.assert_allclose(poses[1][2][1], rotation_from_rpy(turn), atol=1e-4)
    assert np.abs(found.base_position - before.q[:3]).max() > 1e-3
    run = sim.run(2.0)
    assert abs(run.base_position.values - sim.q[:3]).max() < 0.05


def test_it_is_written_to_a_copy_of_the_scene_that_is_else_the_same(arm, tmp_path, capsys):
    scene, output = arm(), tmp_path / "posed.toml"
    with pytest.raises(SystemExit) as exit_:
        main(["pose", scene, "--reach", "tip=0.5,0.2,0.7", "-o", str(output)])
    assert exit_.value.code in (None, 0)
    text = output.read_text()
    wanted, got = tomllib.loads(SCENE), tomllib.loads(text)
    posed = got["bodies"]["arm"].pop("joint_positions")
    forward = got["bodies"]["arm"]["controller"].pop("feed_forward")
    del wanted["bodies"]["arm"]["joint_positions"]
    del wanted["bodies"]["arm"]["controller"]["feed_forward"]
    assert got == wanted
    assert text.count("kept") == 3
    np.testing.assert_allclose([posed["shoulder"], posed["elbow"]], bent(0.4, 0.4, 1), atol=1e-6)
    run = footfall.load(str(output)).run(1.0)
    assert abs(run.joint_position.values - run.joint_position.values[0]).max() < 1e-6
    assert set(forward) == {"shoulder", "elbow"}


def test_a_target_is_what_the_controller_holds(arm, tmp_path, capsys):
    output = tmp_path / "held.toml"
    with pytest.raises(SystemExit):
        main(["pose", arm(), "--reach", "tip=0.5,0.2,0.7", "--target", "-o", str(output)])
    body = tomllib.loads(output.read_text())["bodies"]["arm"]
    assert body["joint_positions"] == {"shoulder": 0.2, "elbow": 0.9}
    assert body["controller"]["target"]["elbow"] == pytest.approx(bent(0.4, 0.4, 1)[1], abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--reach", "tp=0,0,0"], "no frame 'tp', did you mean 'tip'"),
        (["--reach", "tip=0,0"], "is not FRAME=X,Y,Z"),
        (["--reach", "tip=0,0,x"], "is not FRAME=X,Y,Z"),
        (["--reach", "tip=0,0,inf"], "needs x, y, z"),
        (["--reach", "tip=0.5,0.2,0.7", "--body", "leg"], "no robot 'leg'"),
        (["--reach", "tip=0,0,1", "--reach", "tip=0,0,2"], "tip is given twice"),
        (["--reach", "tip=0,0,1", "--hold", "tip"], "'tip' is in both reach and hold"),
        (["--reach", "tip=5,0.2,0.3"], "reaches at most 0.9 m from there, and its goal is 4.9 m"),
        (["--reach", "tip=0.5,0.2,0.7", "--hold", "lowr"], "did you mean 'lower'"),
        (["--reach", "tip=0.5,0.2,0.7", "-o", "there.json"], "must end in .toml"),
        (["--reach", "tip=0.5,0.2,0.7", "-o", "nowhere/x.toml"], "cannot be written"),
    ],
)
def test_mistakes_are_one_clear_line(arm, capsys, arguments, says):
    with pytest.raises(SystemExit) as exit_:
        main(["pose", arm(), *arguments])
    assert exit_.value.code
    assert says in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("reach", "named", "says"),
    [
        ([1.0], {}, "reach: must be a table"),
        ({"tip": "x"}, {}, "needs x, y, z"),
        ({"tip": (0, 0, 1)}, {"start": [0.0]}, "start: must be a table"),
        ({"tip": (0, 0, 1)}, {"start": {"elbow": "x"}}, "'elbow' must be a number"),
        ({"tip": (0, 0, 1)}, {"hold": 3}, "hold: must be names"),
        ({"tip": (0, 0, 1)}, {"hold": "lowr"}, "no frame 'lowr', did you mean 'lower'"),
    ],
)
def test_mistakes_in_python_are_one_clear_line(arm, reach, named, says):
    with pytest.raises(RobotError, match=says):
        footfall.pose(arm(), reach, **named)


def test_what_has_no_joints_is_not_posed(capsys):
    with pytest.raises(SystemExit):
        main(["pose", "cube", "--reach", "cube=0,0,1"])
    assert "cube: has no joints" in capsys.readouterr().err


def test_a_scene_whose_robot_is_not_found_from_there_is_not_left(arm, tmp_path, capsys):
    scene, other = arm(), tmp_path / "other"
    other.mkdir()
    with pytest.raises(SystemExit) as exit_:
        main(["pose", scene, "--reach", "tip=0.5,0.2,0.7", "-o", str(other / "x.toml")])
    assert exit_.value.code
    assert not list(other.iterdir())


def test_a_table_in_one_line_is_replaced():
    edited = with_values("[a]\nb = { c = 1.0 }\n", ("a", "b"), {"d": 2.0})
    assert tomllib.loads(edited) == {"a": {"b": {"d": 2.0}}}


@pytest.mark.parametrize("text", ["a.b.c = 1.0\n", "a = { b = { c = 1.0 } }\n"])
def test_a_table_that_has_no_place_of_its_own_is_refused(text):
    with pytest.raises(SceneError, match=r"\[a\.b\]"):
        with_values(text, ("a", "b"), {"d": 2.0})


def test_rows_of_arrays_are_no_headers():
    text = "[a]\nrows = [\n[1.0, 2.0],\n[x]\n]\n".replace("[x]", "[3.0]")
    edited = with_keys(text, ("a",), {"b": [1.0]})
    assert tomllib.loads(edited) == {"a": {"rows": [[1.0, 2.0], [3.0]], "b": [1.0]}}

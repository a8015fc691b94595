"""Loops that a model file itself gives hold, as MuJoCo means them, or are refused by name."""

from pathlib import Path

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.errors import RobotError, RobotWarning

MJCF = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="crank" pos="0 0 1">
      <joint name="crank" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0"/>
      <body name="rod" pos="0.2 0 0" euler="0.1 0 0">
        <joint name="rod" axis="0 1 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5"/>
        <site name="tip" pos="0 0.03 -0.5"/>
      </body>
    </body>
    <body name="rocker" pos="0.45 0 1">
      <joint name="rocker" axis="0 1 0"/>
      <joint name="lean" axis="1 0 0"/>
      <joint name="swing" axis="0 0 1"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.4"/>
      <site name="end" pos="0 0 -0.4" quat="1 0.2 0.1 0"/>
      <body name="slider" pos="0 0 -0.2">
        <joint name="slide" type="slide" axis="0 0 1"/>
        <geom type="sphere" size="0.03"/>
      </body>
    </body>
  </worldbody>
  <equality>{equality}</equality>
</mujoco>
"""
START = {"crank": 0.3, "rod": -0.2, "rocker": 0.1, "lean": 0.05, "swing": 0.02, "slide": 0.01}
SCENE = """
[simulation]
duration = 0.2

[bodies.robot]
robot = "robot.toml"
joint_positions = {positions}
"""


def load(folder: Path, text: str, file: str, more: str = "", positions=START):
    """Load a scene of one robot of a model file."""
    (folder / file).write_text(text)
    (folder / "robot.toml").write_text(f'[model]\nfile = "{file}"\n{more}')
    shown = ", ".join(f"{name} = {value}" for name, value in positions.items())
    scene = SCENE.format(positions="{ " + shown + " }")
    (folder / "scene.toml").write_text(scene)
    return footfall.load(folder / "scene.toml")


def mjcf(folder: Path, equality: str, more: str = ""):
    return load(folder, MJCF.format(equality=equality), "robot.xml", more)


def opened_in_mujoco(equality: str, sim) -> np.ndarray:
    """Return by how much MuJoCo finds the loops open in the simulator's posture."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MJCF.format(equality=equality))
    data = mujoco.MjData(model)
    names = sim.world.bodies[0].model.joint_names
    for name, position in zip(names, sim.q, strict=True):
        data.joint(name).qpos[0] = position
    mujoco.mj_forward(model, data)
    return np.array(data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY])


@each(
    ("equality", "rows"),
    [
        ('<connect body1="rod" body2="rocker" anchor="0 0.01 -0.45"/>', 3),
        ('<connect body1="rod" anchor="0 0 -0.5"/>', 3),
        ('<connect site1="tip" site2="end"/>', 3),
        ('<weld body1="rod" body2="slider" relpose="0.1 0 -0.3 0.9 0.1 0.2 0"/>', 6),
        ('<weld body1="slider"/>', 6),
        ('<joint joint1="slide" joint2="rocker" polycoef="0.02 0.1 0 0 0"/>', 1),
        ('<joint joint1="rod" joint2="crank"/>', 1),
        ('<joint joint1="rod" joint2="lean" polycoef="0.1"/>', 1),
    ],
)
def test_equalities_are_closed_at_the_start_where_mujoco_has_them_closed(tmp_path, equality, rows):
    """From a posture in which each is open."""
    sim = mjcf(tmp_path, equality)
    assert sim.world.loops.gap.size == rows
    opened = opened_in_mujoco(equality, sim)
    assert opened.size == rows
    assert np.abs(opened).max() < 1e-8
    assert np.abs(sim.q - list(START.values())).max() > 1e-3


def test_a_weld_holds_the_pose_that_the_file_gives(tmp_path):
    """One that the mechanism can meet: the pose of the slider in the rocker, 0.05 m further."""
    equality = '<weld body1="rocker" body2="slider" relpose="0 0 -0.15 1 0 0 0"/>'
    sim = mjcf(tmp_path, equality)
    assert sim.q[sim.world.bodies[0].model.joint_names.index("slide")] == pytest.approx(0.05)
    assert np.abs(opened_in_mujoco(equality, sim)).max() < 1e-8


def test_they_stay_closed_and_are_recorded_by_name(tmp_path):
    recorded = mjcf(tmp_path, '<connect name="hinge" site1="tip" site2="end"/>').run()
    assert list(recorded.loop.values) == [f"robot/hinge/{axis}" for axis in "xyz"]
    assert np.abs(recorded.loop_gap.values).max() < 1e-8
    assert np.abs(recorded.loop_force.values).max() > 0.1


@pytest.mark.parametrize(
    ("equality", "message"),
    [
        (
            '<joint name="bent" joint1="rod" joint2="crank" polycoef="0 1 0.5 0 0"/>',
            'robot.xml: <equality> joint "bent": polycoef="0 1 0.5 0 0": joints can only follow',
        ),
        ('<joint joint1="rod"/>', 'joint "equality0": holds rod still: leave it out of joints'),
        ('<tendon tendon1="a"/>', 'tendon "equality0": is not supported (allowed: connect,'),
        ('<connect body1="rod" body2="rocker"/>', 'connect "equality0": <connect> needs anchor='),
        (
            '<connect body1="rd" anchor="0 0 0"/>',
            "body1=\"rd\": there is no such body, did you mean 'rod'",
        ),
        ('<connect body1="rod" body2="rod" anchor="0 0 0"/>', 'joins "rod" to itself'),
        ('<weld body1="rod" relpose="0 0 1"/>', 'relpose="0 0 1" must be 7 numbers'),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(tmp_path, equality, message):
    with pytest.raises(RobotError) as error:
        mjcf(tmp_path, equality)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_loops_can_be_switched_off_with_a_word(tmp_path):
    with pytest.warns(RobotWarning, match=r"robot.xml: not read: <equality>; add them to"):
        sim = mjcf(tmp_path, '<tendon tendon1="a"/>', 'loops = "ignored"\n')
    assert sim.world.loops.gap.size == 0


def test_an_inactive_equality_does_not_hold(tmp_path):
    sim = mjcf(tmp_path, '<joint joint1="rod" joint2="crank" active="false"/>')
    assert sim.world.loops.gap.size == 0


def test_softness_has_no_effect_and_is_told(tmp_path):
    soft = '<joint name="gear" joint1="rod" joint2="crank" solref="0.1 1"/>'
    with pytest.warns(RobotWarning, match="solref and solimp have no effect.*: gear"):
        mjcf(tmp_path, soft)


def test_sections_that_nothing_reads_are_told_in_one_line(tmp_path):
    text = MJCF.format(equality="").replace(
        "</mujoco>",
        '<actuator><motor joint="rod"/></actuator><sensor><jointpos joint="rod"/></sensor>'
        "</mujoco>",
    )
    with pytest.warns(RobotWarning, match="not read: <actuator>, <sensor>; add them to robot.toml"):
        load(tmp_path, text, "robot.xml")


MIMIC = '<mimic joint="shoulder" multiplier="-2.0" offset="0.3"/>'
URDF = """
<robot name="arm">
  <link name="ground"/>
  <joint name="shoulder" type="continuous">
    <parent link="ground"/><child link="upper"/><axis xyz="0 1 0"/>
  </joint>
  <link name="upper"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>MIMIC
  </joint>
  <link name="lower"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
""".replace("MIMIC", MIMIC)


def urdf(folder: Path, more: str = "", positions: str = "shoulder = 0.5"):
    (folder / "arm.urdf").write_text(URDF)
    model = '[model]\nfile = "arm.urdf"\n'
    (folder / "robot.toml").write_text(f'base = "fixed"\n{more.replace("MODEL", model)}')
    (folder / "scene.toml").write_text(SCENE.format(positions="{ " + positions + " }"))
    return footfall.load(folder / "scene.toml")


def test_a_mimic_joint_follows(tmp_path):
    """``elbow = -2 shoulder + 0.3``, from the start on and while the arm swings."""
    sim = urdf(tmp_path, "MODEL")
    assert sim.world.bodies[0].model.joint_names == ("shoulder", "elbow")
    recorded = sim.run()
    q = recorded.q.values
    np.testing.assert_allclose(q[:, 1], 0.3 - 2.0 * q[:, 0], atol=1e-9)
    assert np.ptp(q[:, 0]) > 1e-3
    assert list(recorded.loop.values) == ["robot/elbow/joint"]


def test_a_mimic_of_a_locked_joint_moves_by_itself_with_a_warning(tmp_path):
    with pytest.warns(RobotWarning, match=r'joint "elbow": elbow follows shoulder, but shoulder'):
        urdf(tmp_path, 'joints = ["elbow"]\nMODEL', "elbow = 0.5")


def test_a_coupling_of_the_robot_file_replaces_the_model_files(tmp_path):
    other = '[[loops]]\nkind = "coupling"\njoint = "elbow"\nof = "shoulder"\nproject = true\n'
    sim = urdf(tmp_path, f"MODEL{other}")
    assert sim.world.loop_names == ("robot/loop0/joint",)
    assert sim.q[0] == pytest.approx(sim.q[1])

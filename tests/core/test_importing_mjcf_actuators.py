"""Servos of an MJCF are gains, limits and targets; what is no servo is told by name."""

import numpy as np
import pytest

import footfall
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.model import Servo
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.write import write_robot

TWO = (
    '<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="0 0 1">'
    '<joint name="h" axis="0 1 0" armature="0.1"/><geom size="0.05" pos="0.3 0 0" mass="1"/>'
    '<body name="b" pos="0.5 0 0.2"><joint name="s" type="slide" axis="1 0 0" ref="0.1"/>'
    '<geom size="0.05" mass="2"/></body></body></worldbody>{rest}</mujoco>'
)
KEY = '<keyframe><key name="home" qpos="0.3 0.15" ctrl="{}"/></keyframe>'


def proposed(folder, rest):
    path = folder / "arm.xml"
    path.write_text(TWO.format(rest=rest))
    located = locate(str(path))
    return propose(located, read_model(located), Wishes(), discover())


SERVOS = {
    "position": '<position joint="h" kp="30" kv="4" gear="-2" forcerange="-9 9"/>',
    "damping ratio": '<position joint="h" kp="30" dampratio="0.7" gear="3"/>',
    "general": '<general joint="h" gainprm="50" biastype="affine" biasprm="3 -40 -2"/>',
    "general ratio": '<general joint="h" gainprm="40" biastype="affine" biasprm="0 -40 0.5"/>',
    "velocity": '<position joint="h" kp="30"/><velocity joint="h" kv="3" gear="2"/>',
    "clamped": '<position joint="h" kp="30" ctrlrange="-0.2 0.2"/>',
    "sliding": '<position joint="s" kp="200" kv="9"/>',
}


@pytest.mark.parametrize("case", SERVOS)
def test_gains_give_the_forces_of_mujoco(tmp_path, case):
    """``K (target - q) - D v`` at random states, with the controls of the key frame."""
    mujoco = pytest.importorskip("mujoco")
    controls = "0.4 0" if case == "velocity" else "0.4"
    rest = f"<actuator>{SERVOS[case]}</actuator>" + KEY.format(controls)
    model = mujoco.MjModel.from_xml_string(TWO.format(rest=rest))
    found, data = proposed(tmp_path, rest), mujoco.MjData(model)
    data.ctrl[:] = [float(u) for u in controls.split()]
    joint, row = ("s", 1) if case == "sliding" else ("h", 0)
    ref = float(model.qpos0[row])
    for q, v in ((0.01, 0.02), (-0.03, 0.01)):
        data.qpos[row], data.qvel[row] = q + ref, v
        mujoco.mj_forward(model, data)
        ours = found.stiffness[joint] * (found.targets[joint] - q) - found.damping[joint] * v
        limit = found.model.torque_limits.get(joint, np.inf)
        assert np.clip(ours, -limit, limit) == pytest.approx(data.qfrc_actuator[row], rel=1e-9)


def test_a_filtered_motor_keeps_the_limit_of_its_controls(tmp_path):
    servo = '<general joint="h" dyntype="filter" gainprm="4" gear="-3" ctrlrange="-0.5 0.5"/>'
    rest = f"<actuator>{servo}</actuator>"
    assert proposed(tmp_path, rest).model.torque_limits == {"h": 4 * 3 * 0.5}


def test_a_written_servo_acts(tmp_path):
    rest = '<actuator><position name="p" joint="h" kp="100" kv="5" forcerange="-20 20"/></actuator>'
    proposal = proposed(tmp_path, rest + KEY.format("0.35"))
    write_robot(proposal, tmp_path / "arm")
    scene = footfall.load_scene(tmp_path / "arm" / "scenes" / "standing.toml")
    gains = scene.bodies["arm"].controller.config
    assert (gains.stiffness["h"], gains.damping["h"]) == (100.0, 5.0)
    assert gains.target == {"h": 0.35}
    assert "critical damping" in (tmp_path / "arm" / "scenes" / "standing.toml").read_text()


def test_defaults_of_any_kind_of_actuator_hold_for_all(tmp_path):
    """The last one counts, not that of the actuator's own kind."""
    mujoco = pytest.importorskip("mujoco")
    text = TWO.replace(
        "<worldbody>",
        '<default><motor gear="3" forcerange="-5 5"/><position forcerange="-4 4"/></default>'
        "<worldbody>",
    ).format(rest='<actuator><motor joint="h"/></actuator>')
    (tmp_path / "arm.xml").write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    limit = model.actuator_gear[0, 0] * model.actuator_forcerange[0, 1]
    assert read_model(locate(str(tmp_path / "arm.xml"))).torque_limits == {"h": limit}


GAINS = (
    '<position kp="30" kv="4"/>',
    '<velocity kv="4"/>',
    '<motor/><position kp="30" kv="4"/>',
    '<position kp="30" kv="4"/><motor/>',
    '<position kp="30"/><general biasprm="3 -20 -1"/>',
    '<general gainprm="50" biastype="affine" biasprm="3 -50 -2"/>',
    '<general gaintype="affine" gainprm="50 1 2"/>',
    '<position kp="30" kv="4"/><default class="c"><velocity kv="2"/></default>',
    '<velocity kv="9"/><default class="c"><general biasprm="0 -9 -1"/><position/></default>',
)


OWN = {
    "general": ("", 'biastype="affine" biasprm="0 -7 -3"'),
    "position": ("", 'kp="5"', 'kv="3"'),
    "velocity": ("", 'kv="3"'),
    "motor": ("",),
}


@pytest.mark.parametrize("defaults", GAINS)
@pytest.mark.parametrize(("kind", "own"), [(kind, own) for kind in OWN for own in OWN[kind]])
def test_gains_of_defaults_are_those_of_mujoco(tmp_path, kind, own, defaults):
    mujoco = pytest.importorskip("mujoco")
    named = 'class="c"' if "class" in defaults else ""
    text = TWO.replace("<worldbody>", f"<default>{defaults}</default><worldbody>").format(
        rest=f'<actuator><{kind} name="x" {named} joint="h" {own}/></actuator>'
    )
    (tmp_path / "arm.xml").write_text(text)
    theirs = mujoco.MjModel.from_xml_string(text)
    found = read_model(locate(str(tmp_path / "arm.xml")))
    if theirs.actuator_gaintype[0] != mujoco.mjtGain.mjGAIN_FIXED:
        assert any("gaintype" in f.text for f in found.findings if f.subject == 'actuator "x"')
        return
    servo = found.servos.get("h", Servo(0.0, 0.0, 0.0))
    affine = theirs.actuator_biastype[0] == mujoco.mjtBias.mjBIAS_AFFINE
    bias = -theirs.actuator_biasprm[0, :3] if affine else np.zeros(3)
    assert [servo.stiffness, servo.damping] == pytest.approx(bias[1:])


TOLD = {
    "intvelocity": '<intvelocity name="x" joint="h" kp="3" actrange="-1 1"/>',
    "muscle": '<muscle name="x" joint="h"/>',
    "damper": '<damper name="x" joint="h" kv="3" ctrlrange="0 1"/>',
    "cylinder": '<cylinder name="x" joint="h"/>',
    "dyntype": '<general name="x" joint="h" dyntype="integrator"/>',
    "site": '<motor name="x" site="t"/>',
    "pushes": '<general name="x" joint="h" biastype="affine" biasprm="0 5 0"/>',
}


@pytest.mark.parametrize("case", TOLD)
def test_what_is_no_servo_is_told_by_name(tmp_path, case):
    path = tmp_path / "arm.xml"
    text = TWO.format(rest=f"<actuator>{TOLD[case]}</actuator>")
    path.write_text(text.replace('<body name="b"', '<site name="t"/><body name="b"'))
    model = read_model(locate(str(path)))
    told = {f.subject: f.text for f in model.findings if f.lost and f.level == "warning"}
    assert case in told['actuator "x"'] or case == "pushes"
    assert "not honoured" in told['actuator "x"']
    assert model.servos == {}


@pytest.mark.parametrize("kind", ["motor", "velocity"])
def test_controls_without_a_position_in_a_key_frame_are_told(tmp_path, kind):
    rest = f'<actuator><{kind} name="x" joint="h"/></actuator>' + KEY.format("2")
    (said,) = [f.text for f in proposed(tmp_path, rest).findings if "ctrl" in f.text]
    assert "ctrl of 1 motors (torque or speed) is not honoured" in said


def test_motors_of_one_joint_add_up_and_idle_joints_are_told(tmp_path):
    motors = "".join(f'<motor joint="h" gear="{gear}" ctrlrange="-1 1"/>' for gear in (5, 3))
    found = proposed(tmp_path, f"<actuator>{motors}</actuator>")
    assert found.model.torque_limits == {"h": 8.0}
    told = [finding.text for finding in found.findings if finding.subject == "1 joints"]
    assert told == ["s: nothing in the file drives them; gains of the scene hold them here"]


def test_slides_that_nothing_drives_are_told(tmp_path):
    path = tmp_path / "z.xml"
    slide = '<joint name="tz" type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/>'
    path.write_text(f'<mujoco><worldbody><body pos="0 0 1">{slide}</body></worldbody></mujoco>')
    told = {f.subject: f.text for f in read_model(locate(str(path))).findings}
    assert told["base"].startswith(
        "tz: nothing in the file drives them, so that it falls in MuJoCo"
    )

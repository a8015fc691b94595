"""Fixed tendons of an MJCF are drives, springs, stops and couplings over joints."""

import numpy as np
import pytest

import footfall
from footfall.model.robot import load_robot
from footfall.registry.discover import discover
from footfall.scene.load import scene_from_dict
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.write import write_robot

FINGER = """<mujoco><compiler angle="radian"/><default><tendon stiffness="7"/>
<general forcerange="-3 3"/></default><worldbody><body name="a" pos="0 0 1">
<joint name="j" axis="0 1 0" {first}/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3"/>
<body name="b" pos="0 0 -0.3"><joint name="k" axis="0 1 0" {second}/>
<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3"/></body></body></worldbody>
<tendon><fixed name="t" {tendon}><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed>
{more}</tendon>{rest}</mujoco>"""


def written(folder, tendon, first="", second="", more="", rest=""):
    path = folder / "finger.xml"
    path.write_text(FINGER.format(tendon=tendon, first=first, second=second, more=more, rest=rest))
    located = locate(str(path))
    proposal = propose(located, read_model(located), Wishes(), discover())
    write_robot(proposal, folder / "finger")
    return load_robot(str(folder / "finger")).spec, proposal


MOVES = {
    "spring and damper": {"tendon": 'stiffness="20" damping="0.05" springlength="0.2"'},
    "of its class": {"tendon": "", "first": 'springref="0.3"'},
    "ref": {"tendon": 'stiffness="20" springlength="0.1"', "second": 'ref="0.2"'},
    "beside a joint's": {
        "tendon": 'stiffness="20" springlength="0.2"',
        "second": 'stiffness="3" springref="-0.4"',
    },
    "armature": {"tendon": 'stiffness="20" springlength="0.2" armature="0.01"'},
}


@pytest.mark.parametrize("case", MOVES)
def test_joints_move_on_tendons_as_in_mujoco(tmp_path, case):
    """For 0.1 s with steps of 10 us, to the first order of both integrators."""
    mujoco = pytest.importorskip("mujoco")
    _, proposal = written(tmp_path, **MOVES[case])
    assert not [finding for finding in proposal.findings if finding.lost]
    body = {"robot": str(tmp_path / "finger" / "robot.toml"), "joint_positions": {"*": 0.0}}
    times = {"time_step": 1e-5, "duration": 0.1}
    sim = footfall.assemble(scene_from_dict({"simulation": times, "bodies": {"finger": body}}))
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "finger.xml"))
    model.opt.timestep, data = 1e-5, mujoco.MjData(model)
    most = 0.0
    for _ in range(10_000):
        sim.step()
        mujoco.mj_step(model, data)
        most = max(most, float(np.abs(data.qpos - model.qpos0).max()))
    assert most > 0.05
    np.testing.assert_allclose(sim.q, data.qpos - model.qpos0, rtol=0.0, atol=0.01 * most)


def test_a_motor_on_a_tendon_drives_both_joints(tmp_path):
    rest = '<actuator><motor name="m" tendon="t" gear="2"/></actuator>'
    spec, proposal = written(tmp_path, 'stiffness="0"', rest=rest)
    (drive,) = spec.actuators
    lengths = np.linalg.inv(np.array(drive.coupling))
    np.testing.assert_allclose(lengths[0], [2.0, -1.0])
    assert drive.torque_limit[0] == 6.0
    assert not [finding for finding in proposal.findings if finding.lost]


def test_limits_of_a_tendon_are_stops(tmp_path):
    spec, _ = written(tmp_path, 'stiffness="0" range="-0.1 0.3"', second='ref="0.5"')
    (loop,) = spec.loops
    ends = [loop.ratio * 0.4 + loop.offset + side * loop.backlash / 2 for side in (-1, 1)]
    np.testing.assert_allclose([2.0 * s - (0.4 + 0.5) for s in ends], [-0.1, 0.3])


def test_an_equality_of_tendons_is_a_coupling(tmp_path):
    rest = '<equality><tendon name="e:1" tendon1="t" polycoef="0.1 0 0 0 0"/></equality>'
    (loop,) = written(tmp_path, 'stiffness="0"', rest=rest)[0].loops
    found = (loop.name, loop.joint, loop.of, loop.ratio, loop.offset)
    assert found == ("e_1", "j", "k", 0.5, 0.05)


def test_a_servo_on_a_tendon_is_told_and_gains_of_its_joints(tmp_path):
    """Equal to the tendon's for a motion that lengthens it by both joints alike."""
    rest = '<actuator><position name="p" tendon="t" kp="10"/></actuator>'
    _, proposal = written(tmp_path, 'stiffness="0"', rest=rest)
    K = [proposal.stiffness[name] for name in ("j", "k")]
    assert sum(K) == pytest.approx(10.0 * (2.0 + 1.0) ** 2)
    assert any("by itself" in finding.text and finding.lost for finding in proposal.findings)


def test_spatial_tendons_are_told_by_name(tmp_path):
    more = '<spatial name="s"><site site="p"/></spatial>'
    rest = '<actuator><muscle name="m" tendon="s"/></actuator>'
    _, proposal = written(tmp_path, 'stiffness="0"', more=more, rest=rest)
    told = {f.subject: f.text for f in proposal.findings if f.lost}
    assert "spatial tendons are not supported" in told['tendon "s"']
    assert "muscle on tendon" in told['actuator "m"']

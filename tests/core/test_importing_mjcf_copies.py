"""Replicated and attached parts, and the compiler's masses, are those of MuJoCo."""

import numpy as np
import pytest
from tests.core.test_importing_mjcf import model_of, tree_of
from tests.plugins.engine_models import random_state
from tests.plugins.test_engines_mjcf import TILTED

from footfall.errors import RobotError

HAND = """<mujoco><compiler meshdir="parts"/>
<default><joint damping="0.3" armature="0.02"/><geom density="500"/></default>
<asset><mesh file="block.stl"/></asset>
<worldbody><body name="palm" euler="0 40 0"><joint name="f" type="slide" range="0 0.04"/>
<geom type="box" size="0.02 0.03 0.04"/><geom type="sphere" size="0.02" pos="0.1 0 0"/></body>
<body name="other"/></worldbody>
<actuator><motor name="m" joint="f"/></actuator></mujoco>"""
ARM = """<mujoco>{compiler}<default><joint damping="9"/><geom density="3000"/></default>
<asset><model name="g" file="hand.xml"/>{asset}</asset><worldbody>
<body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size="0.05" pos="0.3 0 0"/>
{inside}</body></worldbody>{rest}</mujoco>"""
CASES = {
    "attach": {"inside": '<attach model="g" body="palm" prefix="r_"/>'},
    "attach twice": {
        "inside": '<frame pos="0 1 0"><attach model="g" body="palm" prefix="r_"/></frame>'
        '<attach model="g" body="palm" prefix="l_"/>'
    },
    "replicate": {
        "inside": '<replicate count="11" offset="0.1 0 0.02" euler="0 0 20" sep="-"><body name="b" '
        'pos="1 0 0"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body></replicate>',
        "rest": '<actuator><motor joint="j"/></actuator>',
    },
    "replicate in replicate": {
        "inside": '<replicate count="2" offset="0 1 0"><replicate count="3" offset="1 0 0"><body '
        'name="b"><joint name="j"/><geom size="0.1"/></body></replicate></replicate>'
    },
    "groups": {
        "compiler": '<compiler inertiagrouprange="0 1"/>',
        "inside": '<geom size="0.2" pos="0 1 0" group="2"/><geom size="0.1" group="1"/>',
    },
    "balance": {
        "compiler": '<compiler balanceinertia="true"/>',
        "inside": '<body name="b"><joint/><inertial pos="0 0 0.1" mass="1" euler="10 20 30" '
        'diaginertia="0.01 0.01 0.03"/></body>',
    },
}


@pytest.mark.parametrize("case", CASES)
def test_parts_and_masses_are_those_of_mujoco(tmp_path, case):
    mujoco = pytest.importorskip("mujoco")
    given = {"compiler": "", "asset": "", "rest": ""} | CASES[case]
    hand = HAND.replace('<asset><mesh file="block.stl"/></asset>', "")
    (tmp_path / "hand.xml").write_text(hand)
    model = model_of(tmp_path, ARM.format(**given))
    tree = tree_of(model, "fixed")
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(theirs)
    q, v = random_state(tree.model, 0)
    names = [theirs.joint(j).name for j in range(theirs.njnt)]
    ours = tree.model.joint_names
    rows = [names.index(name if name in names else "") for name in ours]
    assert sorted(rows) == list(range(len(names)))
    tree.evaluate(q, v)
    data.qpos[rows], data.qvel[rows] = q, v
    theirs.opt.gravity[:] = TILTED
    theirs.dof_damping[:] = 0.0
    mujoco.mj_forward(theirs, data)
    M = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, data, M)
    M -= np.diag(theirs.dof_armature)
    assert np.abs(tree.M - M[np.ix_(rows, rows)]).max() <= 1e-12 * np.abs(M).max()
    h = data.qfrc_bias[rows]
    assert np.abs(tree.h - h).max() <= 1e-11 * np.abs(h).max()
    damped = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml")).dof_damping
    np.testing.assert_array_equal(tree.model.damping, damped[rows])
    assert len(model.gears) == theirs.nu


def test_settings_of_an_attached_model_must_be_the_same(tmp_path):
    (tmp_path / "hand.xml").write_text(HAND.replace("<compiler", '<compiler angle="radian"'))
    text = ARM.format(compiler="", asset="", inside='<attach model="g" body="palm"/>', rest="")
    with pytest.raises(RobotError, match="compiler: angle must be the same in both files"):
        model_of(tmp_path, text)

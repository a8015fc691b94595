"""Replicated and attached parts, and the compiler's masses, are those of MuJoCo."""

import sys

import numpy as np
import pytest
from tests.core.test_importing_mjcf import HINGE, model_of, tree_of
from tests.plugins.engine_models import random_state
from tests.plugins.test_engines_mjcf import MASS, TILTED

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


def test_key_frames_of_an_attached_file_are_told(tmp_path):
    keys = '<keyframe><key name="open" qpos="0.04"/><key qpos="0"/></keyframe></mujoco>'
    hand = HAND.replace('<asset><mesh file="block.stl"/></asset>', "")
    (tmp_path / "hand.xml").write_text(hand.replace("</mujoco>", keys))
    inside = '<attach model="g" body="palm" prefix="r_"/>'
    model = model_of(tmp_path, ARM.format(compiler="", asset="", inside=inside, rest=""))
    (said,) = [f for f in model.findings if f.subject == "hand.xml"]
    assert said.lost
    assert said.text.startswith('2 key frames of the attached file ("open", "1")')


def test_settings_of_an_attached_model_must_be_the_same(tmp_path):
    (tmp_path / "hand.xml").write_text(HAND.replace("<compiler", '<compiler angle="radian"'))
    text = ARM.format(compiler="", asset="", inside='<attach model="g" body="palm"/>', rest="")
    with pytest.raises(RobotError, match="compiler: angle must be the same in both files"):
        model_of(tmp_path, text)


NOTCHED = (
    'vertex="0 0 0 3 0 0 3 1 0 1 1 0 1 3 0 0 3 0 0 0 1 3 0 1 3 1 1 1 1 1 1 3 1 0 3 1" face="'
    "0 3 1 1 3 2 0 5 3 3 5 4 6 7 9 7 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 "
    '3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11"'
)
MESHES = {
    "corners": 'vertex="0 0 0 1 0 0 0 1 0 0 0 2"',
    "scaled": 'vertex="0 0 0 1 0 0 0 1 0 0 0 2" scale="0.1 -0.2 0.3" refpos="0.5 0 0"',
    "notched": f'{NOTCHED} inertia="exact"',
    "legacy": f'{NOTCHED} inertia="legacy"',
    "convex": f'{NOTCHED} inertia="convex"',
    "shell": f'{NOTCHED} inertia="shell"',
    "scaled shell": 'vertex="0 0 0 1 0 0 0 1 0 0 0 2" scale="1 -2 3" inertia="shell"',
    "builtin": 'builtin="supersphere" params="12 0.7 0.5"',
    "cone": 'builtin="cone" params="9 0.4" scale="1 1 2"',
}


@pytest.mark.parametrize("case", MESHES)
def test_meshes_of_the_file_weigh_what_they_do_in_mujoco(tmp_path, case):
    """To single precision, in which MuJoCo keeps vertices."""
    mujoco = pytest.importorskip("mujoco")
    asset = f'<mesh name="t" {MESHES[case]}/>'
    inside = '<body name="b"><joint name="j"/><geom type="mesh" mesh="t" euler="10 20 30"/></body>'
    text = ARM.format(compiler="", asset=asset, inside=inside, rest="")
    (tmp_path / "hand.xml").write_text(HAND.replace("block.stl", "b.stl"))
    link = model_of(tmp_path, text).urdf.links["b"].inertial
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml")).body("b")
    assert link.mass == pytest.approx(theirs.mass[0], rel=1e-6)
    np.testing.assert_allclose(link.com, theirs.ipos, rtol=0, atol=2e-6)
    moments = np.linalg.eigvalsh(link.inertia)
    np.testing.assert_allclose(moments, np.sort(theirs.inertia), rtol=1e-5)


@pytest.mark.parametrize(
    ("given", "said"), [('density="1"', "5 kg, "), ('mass="2"', "5 m^3, ")], ids=["density", "mass"]
)
def test_a_mesh_of_another_weight_in_mujoco_is_told_with_both(tmp_path, given, said):
    inside = f'<body name="b"><joint name="j"/><geom type="mesh" mesh="t" {given}/></body>'
    text = ARM.format(compiler="", asset=f'<mesh name="t" {NOTCHED}/>', inside=inside, rest="")
    (told,) = [f.text for f in model_of(tmp_path, text).findings if "in MuJoCo by" in f.text]
    assert f'of "b": {said}' in told


BAD_MESHES = {
    "no mujoco": ('builtin="cone" params="9 0.4"', r'pip install -e "\.\[mujoco\]"'),
    "flat": ('vertex="0 0 0 1 0 0 0 1 0 1 1 0"', "span no volume"),
    "pairs": ('vertex="0 0 0 1"', "no triples"),
    "no such corner": ('vertex="0 0 0 1 0 0 0 1 0" face="0 1 3"', "vertices 0 to 2"),
}


@pytest.mark.parametrize("case", BAD_MESHES)
def test_a_mesh_that_cannot_be_made_is_refused_in_one_line(tmp_path, monkeypatch, case):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    given, said = BAD_MESHES[case]
    text = ARM.format(compiler="", asset=f'<mesh name="t" {given}/>', inside="", rest="")
    (tmp_path / "hand.xml").write_text(HAND)
    with pytest.raises(RobotError, match=said) as caught:
        model_of(tmp_path, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("slash", ["/", "\\"])
def test_an_include_may_lie_beside_the_file_that_includes_it(tmp_path, slash):
    (tmp_path / "parts").mkdir()
    inner = f'<mujoco><body name="b">{HINGE}{MASS}</body></mujoco>'
    (tmp_path / "parts" / "b.xml").write_text(inner)
    (tmp_path / "parts" / "a.xml").write_text(
        f'<mujoco><body name="a">{MASS}<include file="b.xml"/></body></mujoco>'
    )
    text = f'<mujoco><worldbody><include file="parts{slash}a.xml"/></worldbody></mujoco>'
    assert model_of(tmp_path, text).urdf.movable == ("h",)

"""Two slides and a hinge at the root of an MJCF are a planar base, with MuJoCo's dynamics."""

import numpy as np
import pytest
from tests.plugins.engine_models import engine, link_pose

import footfall
from footfall.model.robot import Robot
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.trial import try_scene
from footfall_import.write import write_robot

GRAVITY = np.array([1.5, -3.0, -8.0])
ROOT = (
    '<joint name="slide_x" type="slide" axis="1 0 0"/><joint name="slide_z" type="slide" '
    'axis="0 0 1"/><joint name="turn" axis="0 1 0"/>'
)
TEXT = """<mujoco><compiler angle="radian"/><worldbody>
<body name="trunk" {placed}>{root}<geom type="box" size="0.2 0.05 0.1" pos="0.03 0 0"/>
  <body name="thigh" pos="0 0 -0.1"><joint name="hip" axis="0 1 0" range="-1 1"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.03"/>
    <body name="foot" pos="0 0 -0.3"><joint name="ankle" axis="0 -1 0" pos="0 0 0.01"/>
      <geom type="capsule" fromto="-0.1 0 0 0.15 0 0" size="0.02"/></body></body></body>
</worldbody>{rest}</mujoco>"""
OTHERS = {
    "as it is": ("", ROOT),
    "other axes": (
        'pos="1 2 3"',
        '<joint name="slide_z" type="slide" axis="0 0 -2"/><joint name="slide_x" type="slide" '
        'axis="-1 0 0"/><joint name="turn" axis="0 -1 0" pos="0.1 0.2 0.3"/>',
    ),
    "turned": ('pos="1 2 3" euler="0 0 0.7"', ROOT),
    "tilted": ('euler="0.3 0.4 0.5"', ROOT),
    "lies": (
        'pos="0 0 0.05" euler="1.5707963267948966 0 0"',
        '<joint name="slide_x" type="slide" axis="1 0 0"/><joint name="slide_z" type="slide" '
        'axis="0 0 1"/><joint name="turn" axis="0 1 0" pos="0 0.5 0"/>',
    ),
}


def model_of(folder, root=ROOT, placed="", rest=""):
    path = folder / "hopper.xml"
    path.write_text(TEXT.format(root=root, placed=placed, rest=rest))
    return locate(str(path)), read_model(locate(str(path)))


@pytest.mark.parametrize("case", OTHERS)
def test_it_moves_as_in_mujoco(tmp_path, case):
    mujoco = pytest.importorskip("mujoco")
    located, model = model_of(tmp_path, OTHERS[case][1], OTHERS[case][0])
    assert model.base == "planar"
    robot = Robot.from_urdf("it", model.urdf, "planar")
    tree = engine("pinocchio").load(robot.source("it", GRAVITY, "planar", model.start))
    theirs = mujoco.MjModel.from_xml_path(str(located.path))
    theirs.opt.gravity[:] = GRAVITY
    data = mujoco.MjData(theirs)
    names = [model.planar.get(name, (name, 1.0)) for name in tree.model.joint_names]
    rows = [theirs.joint(name).qposadr[0] for name, _ in names]
    signs = np.array([sign for _, sign in names])
    rng = np.random.default_rng(2)
    q, v = rng.normal(size=(2, len(rows)))
    data.qpos[rows], data.qvel[rows] = signs * q, signs * v
    mujoco.mj_forward(theirs, data)
    tree.evaluate(q, v)
    M = np.zeros((len(rows), len(rows)))
    mujoco.mj_fullM(theirs, data, M)
    M = M[np.ix_(rows, rows)] * np.outer(signs, signs)
    h = signs * data.qfrc_bias[rows]
    assert np.abs(tree.M - M).max() <= 1e-12 * np.abs(M).max()
    assert np.abs(tree.h - h).max() <= 1e-12 * np.abs(h).max()
    for body in ("trunk", "thigh", "foot"):
        frame = tree.model.frames[body]
        R, p = link_pose(tree, frame.link)
        np.testing.assert_allclose(p + R @ frame.translation, data.body(body).xpos, atol=1e-13)
        np.testing.assert_allclose(
            R @ frame.rotation, data.body(body).xmat.reshape(3, 3), atol=1e-13
        )


@pytest.mark.parametrize("case", ["as it is", "other axes", "turned"])
def test_it_stands_on_one_foot(tmp_path, case):
    located, model = model_of(tmp_path, OTHERS[case][1], OTHERS[case][0])
    proposal = propose(located, model, Wishes(), discover())
    assert proposal.base == "planar"
    assert {sole.link for sole in proposal.soles} == {"foot"}
    assert set(proposal.stiffness) == {"hip", "ankle"}
    write_robot(proposal, tmp_path / "it")
    trial = try_scene(tmp_path / "it" / "scenes" / "standing.toml", "planar")
    assert trial.passed, trial.verdict
    sim = footfall.load(f"{tmp_path}/it/standing")
    assert sim.labels.joint[:3] == ("planar_x", "planar_z", "planar_pitch")


HINGE = ROOT[ROOT.index('<joint name="turn"') :]
SLIDES = ROOT.removesuffix(HINGE)
ROOT_THAT_IS_NONE = {
    "driven": (ROOT, '<actuator><motor joint="slide_x"/></actuator>'),
    "stops": (ROOT.replace('axis="1 0 0"', 'axis="1 0 0" range="-1 1"', 1), ""),
    "sprung": (ROOT.replace('name="turn"', 'name="turn" stiffness="1"'), ""),
    "oblique": (ROOT.replace('axis="0 0 1"', 'axis="1 0 1"'), ""),
    "hinge first": (HINGE + SLIDES, ""),
    "two slides": (SLIDES, ""),
}


@pytest.mark.parametrize("case", ROOT_THAT_IS_NONE)
def test_joints_of_a_machine_stay_joints(tmp_path, case):
    root, rest = ROOT_THAT_IS_NONE[case]
    _, model = model_of(tmp_path, root, rest=rest)
    assert (model.base, model.planar) == ("fixed", {})
    assert "slide_x" in model.urdf.joints


def test_what_a_planar_base_does_not_have_is_told(tmp_path):
    root = ROOT.replace('name="turn"', 'name="turn" damping="0.1"')
    _, model = model_of(tmp_path, root)
    (told,) = [finding for finding in model.findings if "planar base" in finding.text]
    assert told.lost
    assert "turn damping" in told.text

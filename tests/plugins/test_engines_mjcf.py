"""An MJCF is read as MuJoCo reads it, or refused."""

import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.engine_models import BASES, TILTED, engine, link_pose, random_state, rotation

from footfall.errors import RobotError, RobotWarning
from footfall.interfaces.engine import ModelSource
from footfall_import.mjcf.normal_form import normal_form

ROBOT = """
<mujoco model="robot">
  <compiler angle="degree" eulerseq="zyx"/>
  <default>
    <joint armature="0.02" damping="0.3" frictionloss="0.05"/>
    <geom density="500"/>
    <default class="leg">
      <joint axis="0 1 0" damping="0.7"/>
      <geom type="capsule" contype="0" conaffinity="0" size="0.03"/>
      <default class="knee"><joint range="-150 0" armature="0.1"/></default>
    </default>
  </default>
  <asset>
    <texture type="2d" name="grid" builtin="checker" width="8" height="8"/>
    <material name="grid" texture="grid"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 1" material="grid"/>
    <body name="base" pos="0 0 1" euler="5 6 7">
      {root}
      <inertial pos="0 0 0.1" mass="2" diaginertia="1 1.2 1.3"/>
      <body name="zarm" pos="0.1 0.2 0.3" euler="10 20 30">
        <joint name="zx" type="hinge" axis="1 0 0" pos="0.01 0.02 0.03" range="-60 60"/>
        <joint name="ay" axis="0 1 1" range="-2 2" limited="false"/>
        <joint name="sl" type="slide" axis="0 0 1" range="-0.1 0.1"/>
        <inertial pos="0 0.1 0" mass="1" fullinertia="0.2 0.25 0.3 0.01 0.02 -0.03"/>
        <camera name="eye"/>
        <body name="fore" pos="0 0 0.2">
          <joint name="far" axis="0 1 0" pos="0.1 0 0" actuatorfrcrange="-4 4"/>
          <geom type="capsule" size="0.05 0.1" euler="0 20 0" material="grid"/>
          <site name="tip" pos="0 0 0.1"/>
        </body>
      </body>
      <body name="aleg" pos="0.1 -0.2 0.3" childclass="leg">
        <joint name="hip"/>
        <joint axis="1 0 0"/>
        <geom fromto="0 0 0 0.1 0 -0.4"/>
        <body pos="0.1 0 -0.4" axisangle="0 0 1 20">
          <joint name="knee" class="knee"/>
          <geom type="box" size="0.1 0.02 0.03" mass="0.4"/>
          <geom class="main" type="sphere" size="0.05"/>
          <geom class="main" type="ellipsoid" size="0.05 0.02 0.08" density="0"/>
          <body name="weld" pos="0 0 .1" quat="1 1 0 0">
            <geom type="cylinder" size="0.04 0.1"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="hip"/></actuator>
</mujoco>
"""
ROOTS = {"floating": '<freejoint name="float"/>', "fixed": ""}
JOINTS = ("zx", "ay", "sl", "far", "hip", "joint_1", "knee")


def text_of(base):
    return ROBOT.replace("{root}", ROOTS[base])


def source(base, xml=None, joints=None, locked=None):
    xml = written_out(text_of(base) if xml is None else xml, "robot.xml")
    return ModelSource("robot", "mjcf", "robot.xml", xml, base, TILTED, joints, locked or {})


def written_out(xml, path):
    """Return the text as engines get it; what is no XML they have to refuse themselves."""
    try:
        top = ElementTree.fromstring(xml)
    except ElementTree.ParseError:
        return xml
    return ElementTree.tostring(normal_form(top, Path(path)), encoding="unicode")


@pytest.fixture(scope="module", params=["pinocchio", "featherstone", "mujoco"])
def loaded(request):
    return engine(request.param)


class Oracle:
    """MuJoCo's own M, h and poses, its world-aligned base velocity turned into the base frame."""

    def __init__(self, xml):
        self.mujoco = pytest.importorskip("mujoco")
        self.model = self.mujoco.MjModel.from_xml_string(xml)
        self.data = self.mujoco.MjData(self.model)
        self.armature = self.model.dof_armature.copy()
        self.model.opt.gravity[:] = TILTED
        self.model.dof_armature[:] = 0.0

    def dynamics(self, base, q, v):
        floating = base == "floating"
        self.data.qpos[:], self.data.qvel[:] = q, v
        turn, a = np.eye(len(v)), np.zeros(len(v))
        if floating:
            self.data.qpos[3:7] = q[[6, 3, 4, 5]]
            turn[:3, :3] = rotation(q[3:7])
            self.data.qvel[:3] = turn[:3, :3] @ v[:3]
            # The acceleration of the world-aligned velocity when ours is constant.
            a[:3] = turn[:3, :3] @ np.cross(v[3:6], v[:3])
        self.mujoco.mj_forward(self.model, self.data)
        M = np.zeros((len(v), len(v)))
        self.mujoco.mj_fullM(self.model, self.data, M)
        return turn.T @ M @ turn, turn.T @ (self.data.qfrc_bias + M @ a)


@each("base", BASES)
@each("seed", range(3))
def test_dynamics_are_those_of_mujoco(loaded, base, seed):
    oracle, tree = Oracle(text_of(base)), loaded.load(source(base))
    q, v = random_state(tree.model, seed)
    tree.evaluate(q, v)
    M, h = oracle.dynamics(base, q, v)
    assert np.abs(tree.M - M).max() <= 1e-13 * np.abs(M).max()
    assert np.abs(tree.h - h).max() <= 1e-12 * np.abs(h).max()


@pytest.mark.parametrize("base", BASES)
def test_frames_are_where_mujoco_has_them(loaded, base):
    oracle, tree = Oracle(text_of(base)), loaded.load(source(base))
    q, v = random_state(tree.model, 7)
    tree.evaluate(q, v)
    oracle.dynamics(base, q, v)
    for name in ("base", "zarm", "fore", "aleg", "weld", "tip"):
        view = oracle.data.site(name) if name == "tip" else oracle.data.body(name)
        frame = tree.model.frames[name]
        R, p = link_pose(tree, frame.link)
        np.testing.assert_allclose(p + R @ frame.translation, view.xpos, atol=1e-14)
        if name != "tip":
            np.testing.assert_allclose((R @ frame.rotation).ravel(), view.xmat, atol=1e-14)


@pytest.mark.parametrize("base", BASES)
def test_joint_constants_are_those_of_mujoco(loaded, base):
    oracle, model = Oracle(text_of(base)), loaded.load(source(base)).model
    assert model.joint_names == JOINTS
    first = oracle.model.njnt - len(JOINTS)
    limited = oracle.model.jnt_limited[first:].astype(bool)
    lower, upper = oracle.model.jnt_range[first:].T
    # Degrees become radians by a factor in one, a division in the other.
    np.testing.assert_allclose(model.position_lower, np.where(limited, lower, -np.inf), rtol=1e-15)
    np.testing.assert_allclose(model.position_upper, np.where(limited, upper, np.inf), rtol=1e-15)
    dofs = slice(oracle.model.nv - len(JOINTS), None)
    assert np.array_equal(model.damping, oracle.model.dof_damping[dofs])
    assert np.array_equal(model.friction, oracle.model.dof_frictionloss[dofs])
    assert np.array_equal(model.armature, oracle.armature[dofs])
    assert model.effort_limit.tolist() == [np.inf] * 3 + [4.0] + [np.inf] * 3


def test_inertia_matrix_is_without_armature(loaded):
    tree = loaded.load(source("fixed", text_of("fixed").replace('armature="0.02"', "")))
    other = loaded.load(source("fixed"))
    q, v = random_state(tree.model, 1)
    tree.evaluate(q, v)
    other.evaluate(q, v)
    assert np.array_equal(tree.M, other.M)
    assert not np.array_equal(tree.model.armature, other.model.armature)


@pytest.mark.parametrize("base", BASES)
def test_a_locked_joint_is_a_joint_held_still(loaded, base):
    """M and h of the kept dofs are those of the whole tree with the others at rest there."""
    whole = loaded.load(source(base))
    kept = ("ay", "far", "joint_1")
    locked = {"zx": 0.4, "hip": -0.7, "sl": 0.05}
    tree = loaded.load(source(base, joints=kept, locked=locked))
    assert tree.model.joint_names == kept
    assert tree.model.armature.tolist() == [0.02] * 3
    q, v = random_state(tree.model, 2)
    n_base = 6 if base == "floating" else 0
    rows = [*range(n_base), *(n_base + JOINTS.index(name) for name in kept)]
    q_whole, v_whole = np.zeros(whole.model.nq), np.zeros(whole.model.nv)
    offset = whole.model.nq - len(JOINTS)
    q_whole[:offset] = q[:offset]
    for i, name in enumerate(JOINTS):
        q_whole[offset + i] = locked.get(name, 0.0)
    for i, name in enumerate(kept):
        q_whole[offset + JOINTS.index(name)] = q[offset + i]
    v_whole[rows] = v
    whole.evaluate(q_whole, v_whole)
    tree.evaluate(q, v)
    np.testing.assert_allclose(tree.M, whole.M[np.ix_(rows, rows)], atol=1e-13)
    np.testing.assert_allclose(tree.h, whole.h[rows], atol=1e-11)


def test_included_files_are_read(loaded, tmp_path):
    text = text_of("fixed")
    start, end = text.index("<default>"), text.rindex("</default>") + len("</default>")
    (tmp_path / "defaults.xml").write_text(f"<mujoco>{text[start:end]}</mujoco>")
    split = text[:start] + '<include file="defaults.xml"/>' + text[end:]
    path = str(tmp_path / "robot.xml")
    given = ModelSource("robot", "mjcf", path, written_out(split, path), "fixed", TILTED, None)
    tree, whole = loaded.load(given), loaded.load(source("fixed"))
    assert np.array_equal(tree.model.damping, whole.model.damping)
    assert np.array_equal(tree.model.link_mass, whole.model.link_mass)


HINGE = '<joint name="h"/>'
MASS = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


def small(joint=HINGE, inside="", mass=MASS, extra="", compiler=""):
    return (
        f"<mujoco><compiler {compiler}/>{extra}<worldbody>"
        f'<body name="a">{MASS}<body name="b">{joint}{mass}{inside}</body></body>'
        "</worldbody></mujoco>"
    )


MESH = '<geom type="mesh" mesh="hull"/>'

REFUSED = {
    "mesh inertia": (small(mass=MESH), "inertial"),
    "ball": (small('<joint name="round" type="ball"/>'), "round"),
    "inner free joint": (small("<freejoint/>"), '"b"'),
    "ref": (small('<joint name="h" ref="0.5"/>'), "ref"),
    "nan": (small('<joint name="h" axis="nan 0 1"/>'), "axis"),
    "no number": (small('<joint name="h" damping="much"/>'), "damping"),
    "negative damping": (small('<joint name="h" damping="-1"/>'), "damping"),
    "composite": (small(inside="<composite/>"), "composite"),
    "settotalmass": (small(compiler='settotalmass="3"'), "settotalmass"),
    "no such class": (small('<joint name="h" class="lag"/>'), "lag"),
    "no mass": (small(mass=""), '"h"'),
    "negative mass": (small(mass=MASS.replace('mass="1"', 'mass="-1"')), "mass"),
    "impossible inertia": (small(mass=MASS.replace("1 1 1", "1 1 3")), "triangle"),
    "malformed": (small()[:-8], "robot.xml"),
    "no include": (small(extra='<include file="nowhere.xml"/>'), "nowhere.xml"),
}


@each("case", REFUSED)
def test_what_would_be_another_tree_is_refused(loaded, case):
    xml, named = REFUSED[case]
    with pytest.raises(RobotError, match=named) as caught:
        loaded.load(source("fixed", xml))
    assert "\n" not in str(caught.value)


def test_a_body_in_a_frame_is_where_mujoco_has_it(loaded):
    inside = (
        '<frame pos="0 0.1 1" euler="10 20 30"><body name="c" zaxis="1 0 1"><joint name="i" '
        f'pos="0 0.2 0"/>{MASS.replace("1 1 1", "1 1.2 1.3")}</body></frame>'
    )
    oracle, tree = Oracle(small(inside=inside)), loaded.load(source("fixed", small(inside=inside)))
    q, v = random_state(tree.model, 1)
    tree.evaluate(q, v)
    M, h = oracle.dynamics("fixed", q, v)
    assert np.abs(tree.M - M).max() <= 1e-13 * np.abs(M).max()
    assert np.abs(tree.h - h).max() <= 1e-12 * np.abs(h).max()


@pytest.mark.parametrize("xml", [small(), small(inside=MESH)])
def test_the_small_model_is_not_refused(loaded, xml):
    """So that every refusal above has the one cause that it names."""
    assert loaded.load(source("fixed", xml)).model.joint_names == ("h",)


FORCES = {
    "stiffness": small('<joint name="h" stiffness="5"/>'),
    "tendon": small(extra='<tendon><fixed><joint joint="h" coef="1"/></fixed></tendon>'),
    "gravcomp": small().replace('<body name="b">', '<body name="b" gravcomp="1">'),
}


@pytest.mark.parametrize("case", FORCES)
def test_forces_of_the_file_that_are_left_out_are_told(loaded, case):
    with pytest.warns(RobotWarning, match=case):
        loaded.load(source("fixed", FORCES[case]))


def test_nothing_is_told_where_nothing_is_left_out(loaded, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded.load(source("floating"))
    assert capfd.readouterr() == ("", "")


def test_a_base_of_the_other_kind_is_refused(loaded):
    with pytest.raises(RobotError, match="free joint"):
        loaded.load(source("floating", text_of("fixed")))
    with pytest.raises(RobotError, match="freejoint"):
        loaded.load(source("fixed", text_of("floating")))


def test_a_second_root_of_a_floating_robot_is_refused(loaded):
    two = text_of("floating").replace(
        "</worldbody>", f'<body name="crate">{MASS}</body></worldbody>'
    )
    with pytest.raises(RobotError, match="crate"):
        loaded.load(source("floating", two))


def test_several_welded_roots_of_a_fixed_robot_are_one_tree(loaded):
    pole = f'<body name="pole" pos="1 0 0"><body><joint name="flag"/>{MASS}</body></body>'
    both = text_of("fixed").replace("</worldbody>", f"{pole}</worldbody>")
    tree = loaded.load(source("fixed", both))
    assert tree.model.joint_names == (*JOINTS, "flag")
    tree.evaluate(np.zeros(8), np.zeros(8))
    np.testing.assert_allclose(tree.pose[-1, 9:], [1.0, 0.0, 0.0], atol=1e-15)


def test_an_unknown_kept_joint_is_refused_with_the_nearest_name(loaded):
    with pytest.raises(RobotError, match="did you mean 'knee'"):
        loaded.load(source("fixed", joints=("kne",)))


def test_idyntree_names_the_engine_that_can():
    with pytest.raises(RobotError, match="pinocchio"):
        engine("idyntree").load(source("fixed"))


@pytest.mark.parametrize("other", ["featherstone", "mujoco"])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kept", [None, ("ay", "far", "joint_1")], ids=["all", "some"])
def test_engines_read_the_same_constants(base, kept, other):
    given = source(base, joints=kept, locked={"zx": 0.4, "sl": 0.05} if kept else None)
    one, two = (engine(name).load(given).model for name in ("pinocchio", other))
    assert (one.joint_names, one.link_names) == (two.joint_names, two.link_names)
    for name in ("link_mass", "link_com", "link_inertia", "dof_parent", "link_dof", "armature"):
        a, b = getattr(one, name), getattr(two, name)
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-14, err_msg=name)
    bodies_and_joints = {name for name in one.frames if not name.endswith("_fixed")}
    assert bodies_and_joints <= two.frames.keys()
    for name in bodies_and_joints:
        frame, other = one.frames[name], two.frames[name]
        assert frame.link == other.link, name
        np.testing.assert_allclose(frame.rotation, other.rotation, atol=1e-14, err_msg=name)
        np.testing.assert_allclose(frame.translation, other.translation, atol=1e-14, err_msg=name)


PLACED = """
<mujoco><compiler angle="radian" eulerseq="XzY" inertiafromgeom="{weighed}"/><worldbody>
  <body name="a"><joint name="one" axis="1 2 3" pos="0.1 0 0.2"/>{mass}
    <geom type="box" size="0.1" fromto="0 0 0 0.3 -0.1 0.2"/>
    <geom type="ellipsoid" size="0.1" fromto="0 0 0.5 0 0 -0.5" density="700"/>
    <geom type="cylinder" size="0.1" fromto="0.2 0.1 0 0.2 0.1 0.4" mass="1.5"/>
    <body name="b" xyaxes="1 1 0 -1 0 2" pos="0 0 1"><joint name="two" type="slide" axis="0 3 0"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" zaxis="0 1 -2"/>
      <body name="c" euler="0.3 -1.2 2.1"><joint name="three"/>
        <geom type="capsule" size="0.05 0.2" axisangle="1 -1 0 0.7"/>
        <geom type="sphere" size="0.1" pos="0.1 0 0" quat="2 0 0 0"/>
        <body name="d" zaxis="0 0 -1" pos="1 0 0"><joint name="four" axis="0 1 0"/>
          <geom type="box" size="0.1 0.2 0.3" quat="0 3 -4 0"/>
        </body>
      </body>
    </body>
  </body>
</worldbody></mujoco>
"""


@pytest.mark.parametrize("weighed", ["auto", "true"])
def test_every_way_to_place_and_weigh_is_that_of_mujoco(weighed):
    xml = PLACED.format(weighed=weighed, mass=MASS)
    oracle, tree = Oracle(xml), engine("featherstone").load(source("fixed", xml))
    for seed in range(3):
        q, v = random_state(tree.model, seed)
        tree.evaluate(q, v)
        M, h = oracle.dynamics("fixed", q, v)
        np.testing.assert_allclose(tree.M, M, rtol=0.0, atol=1e-13 * np.abs(M).max())
        np.testing.assert_allclose(tree.h, h, rtol=0.0, atol=1e-12 * np.abs(h).max())


UNWEIGHED = {
    "no size": '<geom type="box" size="0.1"/>',
    "negative size": '<geom size="-0.1"/>',
    "no length": '<geom type="capsule" size="0.1" fromto="1 0 0 1 0 0"/>',
    "shell": '<geom size="0.1" shellinertia="true"/>',
    "height field": '<geom type="hfield" hfield="hills"/>',
}


@pytest.mark.parametrize("case", UNWEIGHED)
def test_a_geom_that_cannot_be_weighed_is_refused(case):
    xml = small(mass=UNWEIGHED[case])
    with pytest.raises(RobotError, match="geom") as caught:
        engine("featherstone").load(source("fixed", xml))
    assert "\n" not in str(caught.value)

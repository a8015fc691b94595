"""An MJCF becomes a URDF with MuJoCo's kinematics and masses; what is left out is said."""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.engine_models import engine, link_pose, random_state
from tests.plugins.test_engines_mjcf import MASS, MESH, TILTED, Oracle, text_of

import footfall
from footfall.errors import RobotError
from footfall.model.robot import Robot, load_robot
from footfall.model.spec import ModelFile, RobotSpec
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.write import write_robot

BASES = ("floating", "fixed")


def model_of(folder, text):
    path = folder / "robot.xml"
    path.write_text(text)
    return read_model(locate(str(path)))


def tree_of(model, base):
    spec = RobotSpec(model=ModelFile(file="robot.urdf"), base=base)
    robot = Robot("robot", model.urdf.path, spec, model.urdf)
    return engine("pinocchio").load(robot.source("robot", TILTED))


def mujoco_order(oracle, tree, base):
    """Rows of MuJoCo's velocity for each of ours."""
    first = 6 if base == "floating" else 0
    names = [oracle.model.joint(j).name for j in range(oracle.model.njnt)]
    # The one joint without a name is called joint_1 here.
    names = [name or "joint_1" for name in names][1 if first else 0 :]
    return [*range(first), *(first + names.index(name) for name in tree.model.joint_names)]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(2))
def test_dynamics_are_those_of_mujoco(tmp_path, base, seed):
    """Bodies with several joints off their origins, classes, Euler angles, masses of geoms."""
    oracle = Oracle(text_of(base))
    tree = tree_of(model_of(tmp_path, text_of(base)), base)
    q, v = random_state(tree.model, seed)
    tree.evaluate(q, v)
    rows = mujoco_order(oracle, tree, base)
    offset = len(q) - len(v)
    theirs_q, theirs_v = q.copy(), v.copy()
    theirs_v[rows] = v
    theirs_q[offset:][rows[len(v) - len(tree.model.joint_names) :]] = q[
        offset + len(v) - len(tree.model.joint_names) :
    ]
    M, h = oracle.dynamics(base, theirs_q, theirs_v)
    assert np.abs(tree.M - M[np.ix_(rows, rows)]).max() <= 1e-12 * np.abs(M).max()
    assert np.abs(tree.h - h[rows]).max() <= 1e-11 * np.abs(h).max()
    for name in ("base", "zarm", "fore", "aleg", "weld", "tip"):
        view = oracle.data.site(name) if name == "tip" else oracle.data.body(name)
        frame = tree.model.frames[name]
        R, p = link_pose(tree, frame.link)
        np.testing.assert_allclose(p + R @ frame.translation, view.xpos, atol=1e-13)


def test_constants_of_joints_are_those_of_mujoco(tmp_path):
    oracle, model = Oracle(text_of("fixed")), model_of(tmp_path, text_of("fixed"))
    tree = tree_of(model, "fixed")
    rows = mujoco_order(oracle, tree, "fixed")
    limited = oracle.model.jnt_limited[rows].astype(bool)
    lower, upper = oracle.model.jnt_range[rows].T
    np.testing.assert_allclose(tree.model.position_lower, np.where(limited, lower, -np.inf))
    np.testing.assert_allclose(tree.model.position_upper, np.where(limited, upper, np.inf))
    np.testing.assert_array_equal(tree.model.damping, oracle.model.dof_damping[rows])
    np.testing.assert_array_equal(tree.model.friction, oracle.model.dof_frictionloss[rows])
    armature = [model.armature.get(name, 0.0) for name in tree.model.joint_names]
    np.testing.assert_array_equal(armature, oracle.armature[rows])
    assert model.torque_limits == {"far": 4.0}


@each(
    "orientation",
    [
        'quat="1 2 -1 0.5"',
        'axisangle="1 2 3 40"',
        'euler="10 20 30"',
        'xyaxes="1 1 0 -1 0 1"',
        'zaxis="1 -2 0.5"',
    ],
)
@each("sequence", ["xyz", "ZYX", "zXy"])
def test_orientations_are_those_of_mujoco(tmp_path, orientation, sequence):
    mujoco = pytest.importorskip("mujoco")
    text = (
        f'<mujoco><compiler eulerseq="{sequence}"/><worldbody><body name="a" {orientation}>{MASS}'
        f'<body name="b" pos="1 2 3" {orientation}><joint name="h"/>{MASS}</body></body>'
        "</worldbody></mujoco>"
    )
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    tree = tree_of(model_of(tmp_path, text), "fixed")
    tree.evaluate(np.zeros(1), np.zeros(1))
    frame = tree.model.frames["b"]
    R, p = link_pose(tree, frame.link)
    np.testing.assert_allclose(p + R @ frame.translation, data.body("b").xpos, atol=1e-12)
    np.testing.assert_allclose((R @ frame.rotation).ravel(), data.body("b").xmat, atol=1e-12)


SOLIDS = (
    '<geom type="sphere" size="0.1" pos="0.1 0.2 0.3"/>',
    '<geom type="capsule" size="0.05 0.2" euler="10 20 30"/>',
    '<geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 -0.3"/>',
    '<geom type="cylinder" size="0.1 0.05" mass="3"/>',
    '<geom type="ellipsoid" size="0.1 0.2 0.3" density="200"/>',
    '<geom type="box" size="0.1 0.2 0.3" quat="1 1 0 0"/>',
)


def assert_weighs_as_in_mujoco(folder, text, mass, com, moments):
    """Compare body a of a file; errors of mass and moments are relative, of the centre in [m]."""
    theirs = pytest.importorskip("mujoco").MjModel.from_xml_string(text).body("a")
    inertial = model_of(folder, text).urdf.links["a"].inertial
    assert inertial.mass == pytest.approx(theirs.mass[0], rel=mass)
    np.testing.assert_allclose(inertial.com, theirs.ipos, atol=com)
    ours = np.linalg.eigvalsh(inertial.inertia)
    np.testing.assert_allclose(ours, np.sort(theirs.inertia), rtol=moments)


@pytest.mark.parametrize("geom", SOLIDS)
def test_masses_of_geoms_are_those_of_mujoco(tmp_path, geom):
    text = f'<mujoco><worldbody><body name="a"><freejoint/>{geom}</body></worldbody></mujoco>'
    assert_weighs_as_in_mujoco(tmp_path, text, 1e-12, 1e-12, 1e-9)


def test_a_mesh_has_the_mass_of_its_volume(tmp_path):
    corners = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1]])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "tetra.obj").write_text("\n".join(lines) + "\n")
    text = (
        '<mujoco><asset><mesh name="t" file="tetra.obj" scale="2 1 1"/></asset><worldbody>'
        '<body name="a"><freejoint/><geom type="mesh" mesh="t"/></body></worldbody></mujoco>'
    )
    inertial = model_of(tmp_path, text).urdf.links["a"].inertial
    assert inertial.mass == pytest.approx(1000.0 * 0.6 * 0.2 * 0.1 / 6.0, rel=1e-6)
    np.testing.assert_allclose(inertial.com, [0.15, 0.05, 0.025], rtol=1e-6)


DOG = """
<mujoco model="dog">
  <default><geom friction="1"/><joint axis="0 1 0" armature="0.01" range="-120 120"/></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="trunk" pos="0 0 0.5">
      <freejoint/>
      <geom type="box" size="0.2 0.1 0.05" mass="5"/>
      {legs}
    </body>
  </worldbody>
  <equality>
    <joint joint1="knee_a" joint2="knee_b" polycoef="0 1 0 0 0"/>
    <tendon tendon1="none"/>
  </equality>
  <actuator>
    <motor joint="hip_a" gear="20" ctrlrange="-2 2"/>
    <position joint="knee_a" kp="3"/>
  </actuator>
  <keyframe><key name="home" qpos="0 0 0.4 1 0 0 0 {pose}"/></keyframe>
</mujoco>
"""
LEG = """
<body name="thigh_{n}" pos="{x} {y} 0"><joint name="hip_{n}"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.5"/>
  <body name="shank_{n}" pos="0 0 -0.2"><joint name="knee_{n}"/>
    <geom type="capsule" size="0.015" fromto="0 0 0 0 0 -0.2" mass="0.3"/>
    <geom name="foot_{n}" type="sphere" size="0.02" pos="0 0 -0.2" mass="0.1"/>
  </body>
</body>
"""


@each(
    ("actuator", "limit"),
    [
        ('<general joint="h" gainprm="3" ctrlrange="-2 2" gear="10"/>', 60.0),
        ('<general joint="h" gainprm="3" ctrlrange="-2 2" forcerange="-4 4"/>', 4.0),
        ('<general joint="h" ctrlrange="-2 2"/>', 2.0),
        ('<general joint="h" gainprm="3" biastype="affine" ctrlrange="-2 2"/>', 6.0),
        ('<position joint="h" kp="3" ctrlrange="-2 2"/>', None),
    ],
)
def test_torque_limits_are_the_forces_that_controls_reach(tmp_path, actuator, limit):
    model = model_of(tmp_path, small(extra=f"<actuator>{actuator}</actuator>"))
    assert model.torque_limits.get("h") == limit
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(small(extra=f"<actuator>{actuator}</actuator>"))
    data = mujoco.MjData(theirs)
    data.ctrl[:] = 1e6
    mujoco.mj_forward(theirs, data)
    if limit is not None:
        assert data.qfrc_actuator[0] == pytest.approx(limit)


def dog():
    places = zip("abcd", (0.2, 0.2, -0.2, -0.2), (0.1, -0.1, 0.1, -0.1), strict=True)
    legs = "".join(LEG.format(n=n, x=x, y=y) for n, x, y in places)
    return DOG.format(legs=legs, pose=" ".join(["0.5 -1.0"] * 4))


def test_an_mjcf_becomes_a_folder_that_stands(tmp_path):
    path = tmp_path / "dog.xml"
    path.write_text(dog())
    located = locate(str(path))
    proposal = propose(located, read_model(located), Wishes(), discover())
    write_robot(proposal, tmp_path / "made")
    path.unlink()
    spec = load_robot(str(tmp_path / "made")).spec
    assert spec.model.file == "model.urdf"
    assert spec.posture["knee_a"] == -1.0
    assert spec.joint_dynamics["hip_a"].armature == 0.01
    assert {f.frame for f in spec.contact_features} == {f"shank_{n}" for n in "abcd"}
    (hip,) = [drive for drive in spec.actuators if "hip_a" in drive.joints]
    assert hip.torque_limit == 40.0
    (loop,) = spec.loops
    assert (loop.kind, loop.joint, loop.of) == ("coupling", "knee_a", "knee_b")
    run = footfall.load(f"{tmp_path}/made/standing").run(duration=1.0)
    position = run.base_position.values.reshape(len(run.time), 3)
    assert np.abs(position - position[0]).max() < 0.01
    knees = run.joint_position.sel(joint=["knee_a", "knee_b"]).values
    assert np.abs(knees[:, 0] - knees[:, 1]).max() < 1e-6
    said = " / ".join(f"{finding.subject}: {finding.text}" for finding in proposal.findings)
    for words in ("tendon", "is the ground", "friction"):
        assert words in said


CONNECT = '<equality><connect name="pin" body1="fore" body2="aleg" anchor="0 0 0.1"/></equality>'


def test_a_connection_is_written_with_the_place_where_both_meet(tmp_path):
    text = text_of("fixed").replace("</mujoco>", f"{CONNECT}</mujoco>")
    model = model_of(tmp_path, text)
    (loop,) = model.loops
    tree = tree_of(model, "fixed")
    tree.evaluate(np.zeros(tree.model.nq), np.zeros(tree.model.nv))
    places = []
    for side in (0, 1):
        frame, pose = tree.model.frames[loop.frames[side]], loop.poses[side]
        R, p = link_pose(tree, frame.link)
        places.append(p + R @ (frame.translation + frame.rotation @ pose.translation))
    assert (loop.kind, loop.name) == ("point", "pin")
    np.testing.assert_allclose(places[0], places[1], atol=1e-12)


HINGE = '<joint name="h"/>'
SPRUNG = '<joint name="h" type="{}" ref="10" springref="30" stiffness="7" axis="0 1 0"/>'


@pytest.mark.parametrize("kind", ["hinge", "slide"])
def test_a_joints_spring_pulls_as_in_mujoco(tmp_path, kind):
    """It gives what MuJoCo finds in ``qfrc_spring``, and is on from the robot's file alone."""
    text = small(SPRUNG.format(kind))
    (tmp_path / "robot.xml").write_text(text)
    located = locate(str(tmp_path / "robot.xml"))
    proposal = propose(located, read_model(located), Wishes(), discover())
    write_robot(proposal, tmp_path / "made")
    world = {"gravity": [0.0, 0.0, 0.0]}
    body = {"robot": str(tmp_path / "made" / "robot.toml"), "joint_positions": {"h": 0.05}}
    sim = footfall.assemble(footfall.scene_from_dict({"world": world, "bodies": {"it": body}}))
    sim.step()
    oracle = Oracle(text)
    joint, data = oracle.model.joint("h"), oracle.data
    data.qpos[joint.qposadr] = 0.05 + oracle.model.qpos0[joint.qposadr]
    oracle.mujoco.mj_forward(oracle.model, data)
    dt, s = sim.time, float(sim.q[-1])
    theirs = float(data.qfrc_spring[joint.dofadr][0])
    # It is taken at the end of the step: s further on than where MuJoCo looks.
    assert float(sim.signal("tau")[-1]) == pytest.approx(theirs - 7.0 * (s - 0.05), rel=1e-9)
    assert abs(s - 0.05) < 10.0 * dt


def small(joint=HINGE, inside="", mass=MASS, extra="", compiler=""):
    return (
        f"<mujoco><compiler {compiler}/>{extra}<worldbody>"
        f'<body name="a">{MASS}<body name="b">{joint}{mass}{inside}</body></body>'
        "</worldbody></mujoco>"
    )


ASSET = '<asset><mesh file="x.stl"/></asset>'
LOST = '<geom type="mesh" mesh="x"/>'
LOST_DRAWN = '<geom type="mesh" mesh="x" contype="0" conaffinity="0"/>'
CHAIN = "".join(f'<body><joint name="c{i}"/>{MASS}' for i in range(7)) + 7 * "</body>"

REFUSED = {
    "inner free joint": (small("<freejoint/>"), "a free joint is allowed on a root body only"),
    "class": (small('<joint name="h" class="lag"/>'), 'no default class "lag"'),
    "no number": (small('<joint name="h" damping="much"/>'), "damping"),
    "no such mesh": (small(inside=MESH), 'no mesh asset "hull"'),
    "lost mesh": (small(inside=LOST, extra=ASSET), "x.stl was not found, and this geom takes part"),
    "lost mass": (
        small(inside=LOST_DRAWN, extra=ASSET, mass=""),
        "its body takes its mass from geoms",
    ),
    "no body": ("<mujoco><worldbody/></mujoco>", "holds no body"),
    "include": (small(extra='<include file="nowhere.xml"/>'), "nowhere.xml"),
    "negative mass": (
        small(inside='<geom size="0.1" mass="-1"/>', mass=""),
        "must not be negative",
    ),
    "density": (small(inside='<geom size="0.1" density="-1"/>', mass=""), "must not be negative"),
    "size": (small(inside='<geom size="-0.1"/>'), "a sphere needs sizes above 0"),
    "kind": (small(inside='<geom type="capsul" size="1 1"/>'), "did you mean 'capsule'"),
    "solver": (small(extra='<option solver="newton"/>'), "did you mean 'Newton'"),
    "limited": (
        small(extra='<actuator><motor joint="h" ctrllimited="yes"/></actuator>'),
        "must be one of true, false, auto",
    ),
    "no such joint": (
        small(extra='<actuator><motor joint="hh"/></actuator>'),
        "joint=\"hh\": there is no such joint, did you mean 'h'",
    ),
    "no such body": (
        small(extra='<equality><weld body1="b" body2="bb"/></equality>'),
        "there is no such body, did you mean 'b'",
    ),
    "lost cloth": (small().replace("<worldbody>", "<worldbody><flexcomp/>"), "soft bodies"),
    "sdf": (small(inside='<geom type="sdf" mesh="m"/>', mass=""), "signed distance field"),
    "lost cable": (small().replace("<worldbody>", "<worldbody><composite/>"), "<composite> is not"),
    "soft only": ("<mujoco><worldbody><flexcomp/></worldbody></mujoco>", "<flexcomp>: is not supp"),
    "lost model": (
        small().replace("<worldbody>", '<worldbody><attach model="g"/>'),
        'there is no <model name="g">',
    ),
    "lost body": (small().replace("<worldbody>", "<worldbody><boddy/>"), "did you mean 'body'"),
    "joint of the world": (small().replace("<worldbody>", "<worldbody><joint/>"), "<joint> is not"),
    "no such material": (small(inside='<geom size="0.1" material="red"/>'), "no such material"),
}


@each("case", REFUSED)
def test_what_no_urdf_can_be_is_one_line(tmp_path, case):
    text, said = REFUSED[case]
    with pytest.raises(RobotError, match=said.replace("(", r"\(")) as caught:
        model_of(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_the_small_model_is_not_refused(tmp_path):
    """So that every refusal above has the one cause that it names."""
    assert model_of(tmp_path, small()).urdf.movable == ("h",)


SAID = {
    "lost picture": (small(inside=LOST_DRAWN, extra=ASSET), "x.stl was not found: it is not drawn"),
    "ball": (
        small('<joint name="round" type="ball"/>'),
        "replaced by hinges round_x, round_y, round_z",
    ),
    "nonlinear": (small('<joint name="h" stiffness="5 1"/>'), "made linear: stiffness 5"),
    "nonlinear damping": (
        small('<joint name="h" damping="5 1"/>'),
        "made linear: damping 5 of 5 1",
    ),
    "ball's range": (
        small('<joint name="round" type="ball" range="0 60" limited="true" solreflimit="1 1"/>'),
        'range="0 60", solreflimit="1 1": not honoured',
    ),
    "ball's damping": (
        small('<joint name="round" type="ball" damping="1" stiffness="2"/>'),
        "damping, stiffness about each of them",
    ),
    "uneven torque": (
        small('<joint name="h" actuatorfrcrange="-2 5"/>'),
        "actuatorfrcrange -2 to 5: limits are symmetric here",
    ),
    "uneven control": (
        small(extra='<actuator><motor joint="h" ctrlrange="0 5"/></actuator>'),
        "ctrlrange 0 to 5: limits are symmetric here",
    ),
    "misspelt section": (
        small(extra='<actuators><motor joint="h"/></actuators>'),
        "did you mean 'actuator'",
    ),
    "misspelt part": (
        small(extra='<equality><weldd body1="b"/></equality>'),
        "did you mean 'weld'",
    ),
    "pushes": (small('<joint name="h" stiffness="-5"/>'), "negative stiffness -5"),
    "gravcomp": (small().replace('"b">', '"b" gravcomp="1">'), "gravcomp is not honoured"),
    "ref": (small('<joint name="h" ref="30"/>'), "counts from its ref"),
    "height field": (small(inside='<geom type="hfield" hfield="f"/>'), "type hfield is left out"),
    "fitted": (small(inside='<geom type="box" mesh="m"/>'), "fitted to a mesh is left out"),
    "tendon": (small(extra="<tendon><spatial/></tendon>"), "tendons are not supported"),
    "option": (small(extra='<option timestep="0.1"/>'), 'timestep="0.1": not read'),
    "polynomial": (
        small(extra='<equality><joint joint1="h" joint2="h" polycoef="0 1 2 0 0"/></equality>'),
        "left out",
    ),
    "mark": (
        small().replace(
            "<worldbody>", '<worldbody><geom name="mark" size="1" contype="0" conaffinity="0"/>'
        ),
        "drawn only: left out (mark)",
    ),
    "skin": (small(extra="<deformable><skin/></deformable>"), "not honoured (skin 1)"),
    "sensors": (small(extra="<sensor><gyro/><gyro/></sensor>"), "2 elements: not honoured (gyro 2"),
    "mocap": (
        small(extra='<equality><weld body1="b" body2="m"/></equality>').replace(
            "<worldbody>", '<worldbody><body name="m" mocap="true"/>'
        ),
        "its mocap body is moved by a program",
    ),
    "no joint": (small(extra='<actuator><motor tendon="t"/></actuator>'), "drives no joint"),
}


@each("case", SAID)
def test_what_is_not_honoured_is_said(tmp_path, case):
    text, said = SAID[case]
    assert said in " / ".join(finding.text for finding in model_of(tmp_path, text).findings)


# What stands for several elements, and what changes all masses


FRAMED = """
<mujoco><worldbody><frame pos="0.1 0.2 0.3" euler="10 20 30">
  <body name="a" pos="0 0 1" axisangle="1 1 0 20"><freejoint/>
    <frame euler="0 40 0"><frame pos="0 0.1 0">
      <geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 -0.3"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0" zaxis="1 0 1"/>
      <body name="b" pos="0 0 0.2">
        <joint name="h" axis="0 1 0" pos="0.1 0 0"/><geom size="0.1" pos="0.1 0.1 0"/>
      </body>
    </frame></frame>
  </body></frame>
</worldbody></mujoco>
"""


def differences(folder, text):
    """Return how far M and h are from MuJoCo's, relative, of a floating robot with a joint h."""
    oracle = Oracle(text)
    tree = tree_of(model_of(folder, text), "floating")
    assert tree.model.joint_names == ("h",)
    q, v = random_state(tree.model, 3)
    tree.evaluate(q, v)
    M, h = oracle.dynamics("floating", q, v)
    return np.abs(tree.M - M).max() / np.abs(M).max(), np.abs(tree.h - h).max() / np.abs(h).max()


def test_what_is_in_a_frame_is_where_mujoco_has_it(tmp_path):
    M, h = differences(tmp_path, FRAMED)
    assert M <= 1e-12
    assert h <= 1e-11


def test_the_total_mass_is_that_which_the_compiler_sets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where MuJoCo logs that it will not have it much longer
    text = FRAMED.replace("<worldbody>", '<compiler settotalmass="7"/><worldbody>')
    M, h = differences(tmp_path, text)
    assert M <= 1e-12
    assert h <= 1e-11
    links = model_of(tmp_path, text).urdf.links.values()
    assert sum(link.inertial.mass for link in links if link.inertial) == pytest.approx(7.0)


@pytest.mark.parametrize("bounds", ['boundmass="3"', 'boundmass="3" boundinertia="0.2"'])
def test_masses_are_at_least_what_the_compiler_asks(tmp_path, bounds):
    text = text_of("floating").replace("<compiler ", f"<compiler {bounds} ", 1)
    oracle = Oracle(text)
    model = model_of(tmp_path, text)
    for i in range(1, oracle.model.nbody):
        inertial = model.urdf.links[oracle.model.body(i).name or "body_1"].inertial
        assert inertial.mass == pytest.approx(oracle.model.body_mass[i], rel=1e-12)
        moments = np.sort(np.linalg.eigvalsh(inertial.inertia))
        theirs = np.sort(oracle.model.body_inertia[i])
        np.testing.assert_allclose(moments, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("option", "gravity"),
    [
        ("", (0.0, 0.0, -9.81)),
        ('<option gravity="1 0 -3"/>', (1.0, 0.0, -3.0)),
        ('<option gravity="1 0 -3"><flag gravity="disable"/></option>', (0.0, 0.0, 0.0)),
    ],
)
def test_gravity_is_that_of_the_file(tmp_path, option, gravity):
    path = tmp_path / "dog.xml"
    path.write_text(dog().replace("<worldbody>", f"{option}<worldbody>", 1))
    located = locate(str(path))
    proposal = propose(located, read_model(located), Wishes(), discover())
    write_robot(proposal, tmp_path / "made")
    scene = footfall.load_scene(f"{tmp_path}/made/standing")
    assert tuple(scene.world.gravity) == gravity
    assert bool(proposal.soles) == any(gravity)


def test_a_body_that_the_file_turns_starts_so(tmp_path):
    """Drawn with its y axis up, and turned by the file."""
    path = tmp_path / "dog.xml"
    inside = dog().partition("<body ")[2]
    name = inside.partition('"')[2].partition('"')[0]
    text = dog().replace(f'<body name="{name}"', f'<body name="{name}" euler="0 0 90"', 1)
    path.write_text(text[: text.index("<keyframe")] + text[text.index("</keyframe>") + 11 :])
    located = locate(str(path))
    proposal = propose(located, read_model(located), Wishes(), discover())
    assert proposal.rpy == pytest.approx((0.0, 0.0, np.pi / 2))


def test_a_ball_joint_is_three_hinges(tmp_path):
    """The same robot with hinges about x, y, z in MuJoCo; and its key frame's quaternion."""
    mujoco = pytest.importorskip("mujoco")
    child = f'<body pos="0 0.3 0"><joint name="h"/>{MASS}</body>'
    body = f'<body name="b" pos="0 0 1">{{}}{MASS}{child}</body>'
    three = "".join(
        f'<joint name="r_{n}" axis="{a}" pos="0.1 0 0" damping="2"/>'
        for n, a in zip("xyz", ("1 0 0", "0 1 0", "0 0 1"), strict=True)
    )
    whole = f'<mujoco><worldbody><body name="a"><freejoint/>{MASS}'
    whole += "{}</body></worldbody>{}</mujoco>"
    ball = '<joint name="r" type="ball" pos="0.1 0 0" damping="2"/>'
    key = '<keyframe><key name="k" qpos="0 0 1 1 0 0 0 0.5 0.1 -0.7 0.2 0.4"/></keyframe>'
    names = ("r_x", "r_y", "r_z", "h")
    model = model_of(tmp_path, whole.format(body.format(ball), key))
    oracle = Oracle(whole.format(body.format(three), ""))
    tree = tree_of(model, "floating")
    assert tree.model.joint_names == names
    np.testing.assert_array_equal(tree.model.damping, [2.0, 2.0, 2.0, 0.0])
    q, v = random_state(tree.model, 3)
    tree.evaluate(q, v)
    M, _ = oracle.dynamics("floating", q, v)
    assert np.abs(tree.M - M).max() <= 1e-12 * np.abs(M).max()
    theirs = mujoco.MjModel.from_xml_string(whole.format(body.format(ball), key))
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    mujoco.mj_forward(theirs, data)
    (posture,) = model.postures
    joints = [posture.positions[name] for name in names]
    tree.evaluate(np.array([0, 0, 1, 0, 0, 0, 1, *joints]), np.zeros(10))
    R, _ = link_pose(tree, tree.model.frames["b"].link)
    np.testing.assert_allclose(R.ravel(), data.body("b").xmat, atol=1e-12)


def test_of_several_bodies_that_float_that_with_most_joints_is_taken(tmp_path):
    other = f'<body name="c"><freejoint/>{MASS}</body>'
    text = text_of("floating").replace("</worldbody>", f"{other}</worldbody>")
    assert "c" not in model_of(tmp_path, text).urdf.links
    alone = read_model(locate(str(tmp_path / "robot.xml")), body="c")
    assert set(alone.urdf.links) == {"c"}
    with pytest.raises(RobotError, match="no root body \"bade\", did you mean 'base'"):
        read_model(locate(str(tmp_path / "robot.xml")), body="bade")


def test_an_arm_is_taken_rather_than_what_lies_before_it(tmp_path):
    cube = f'<body name="cube"><freejoint/>{MASS}</body>'
    text = text_of("fixed").replace("<worldbody>", f"<worldbody>{cube}")
    key = '<keyframe><key name="k" qpos="9 9 9 0 0 0 0 1 2 3 4 5 6 7"/></keyframe>'
    text = text.replace("</mujoco>", f"{key}</mujoco>")
    model = model_of(tmp_path, text)
    assert model.base == "fixed"
    assert "cube" not in model.urdf.links
    (posture,) = model.postures
    assert sorted(posture.positions.values()) == [1, 2, 3, 4, 5, 6, 7]
    assert posture.positions["zx"] == 1.0


@pytest.mark.parametrize("rgba", ["true", "1 0 0", "1 0 0 1 1", "nan 0 0 1"])
def test_the_colour_of_a_material_is_four_numbers(tmp_path, rgba):
    text = (
        f'<mujoco><asset><material name="m" rgba="{rgba}"/></asset><worldbody><body name="a">'
        '<freejoint/><geom size="0.1" material="m"/></body></worldbody></mujoco>'
    )
    with pytest.raises(RobotError, match='<material> "m": <material> rgba="') as error:
        model_of(tmp_path, text)
    assert "\n" not in str(error.value)


def test_a_refquat_that_shears_is_refused(tmp_path):
    text = small(
        inside='<geom type="mesh" mesh="t"/>',
        extra='<asset><mesh name="t" file="t.obj" refquat="1 2 3 4" scale="1 2 3"/></asset>',
    )
    with pytest.raises(RobotError, match="refquat"):
        model_of(tmp_path, text)

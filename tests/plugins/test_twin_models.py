"""Twins of two models or scenes: what is planted in one of them is named first."""

import pytest

import footfall
from footfall.errors import FootfallError, RobotWarning

pytest.importorskip("mujoco", reason='needs the extra "mujoco"')

from footfall_compare.twin.command import text
from footfall_compare.twin.command import twin as twin_command
from footfall_simulators.exporters.mjcf import export_mjcf

MJCF = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.002" gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="trunk" pos="0 0 0.6">
      <freejoint/>
      <inertial pos="0.01 0 0" mass="5" diaginertia="0.05 0.06 0.04"/>
      <body name="left_leg" pos="0 0.1 0">
        <inertial pos="0 0 -0.1" mass="0.8" diaginertia="0.003 0.003 0.001"/>
        <joint name="left_hip" axis="0 1 0" range="-1 1" damping="0.2" armature="0.01"
          frictionloss="0.05"/>
        <body name="left_shank" pos="0 0 -0.25">
          <inertial pos="0 0 -0.1" mass="0.3" diaginertia="0.001 0.001 0.0004"/>
          <joint name="left_knee" axis="0 1 0" range="-2 0" damping="0.1"/>
          <geom type="sphere" size="0.02" pos="0 0 -0.25" friction="0.8 0.005 0.0001"/>
        </body>
      </body>
      <body name="right_leg" pos="0 -0.1 0">
        <inertial pos="0 0 -0.1" mass="0.8" diaginertia="0.003 0.003 0.001"/>
        <joint name="right_hip" axis="0 1 0" range="-1 1" damping="0.2" armature="0.01"
          frictionloss="0.05"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.25" friction="0.8 0.005 0.0001"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="left_hip" joint="left_hip" kp="60" kv="2" forcerange="-20 20"/>
    <position name="left_knee" joint="left_knee" kp="60" kv="2" forcerange="-20 20"/>
    <motor name="right_hip" joint="right_hip" ctrlrange="-15 15"/>
  </actuator>
  <keyframe><key qpos="0 0 0.55 1 0 0 0 0.3 -0.6 0.1"/></keyframe>
</mujoco>
"""
LEFT = MJCF[MJCF.index('      <body name="left_leg"') : MJCF.index('      <body name="right_leg"')]
RIGHT = MJCF[MJCF.index('      <body name="right_leg"') : MJCF.index("    </body>\n  </worldbody>")]
IN_MJCF = {
    "gravity": ('gravity="0 0 -9.81"', 'gravity="0 0 -9.71"', "-9.81 here, 0 0 -9.71 there"),
    "time step": ('timestep="0.002"', 'timestep="0.004"', "0.002 here, 0.004 there"),
    "start posture": ("0.3 -0.6 0.1", "0.3 -0.5 0.1", "left_knee: -0.6 here, -0.5 there"),
    "order of joints": (LEFT + RIGHT, RIGHT + LEFT, "left_hip here, right_hip there"),
    "solver": ("<option ", '<option cone="elliptic" ', "cone"),
    "softness of contacts": ('pos="0 0 -0.25" ', 'pos="0 0 -0.25" solref="0.05 1" ', "left_knee"),
    "mass of links": ('mass="0.3"', 'mass="0.31"', "left_shank: 0.3 here, 0.31 there"),
    "centres of mass": ('pos="0.01 0 0"', 'pos="0.02 0 0"', "trunk: 0.01 here, 0.02 there"),
    "inertia of links": ("0.05 0.06 0.04", "0.05 0.06 0.045", "trunk: 0.04 here, 0.045 there"),
    "damping of joints": ('damping="0.1"', 'damping="0.12"', "left_knee: 0.1 here, 0.12 there"),
    "reflected inertia": (RIGHT, RIGHT.replace('armature="0.01"', 'armature="0.02"'), "right_hip"),
    "friction of joints": (RIGHT, RIGHT.replace('loss="0.05"', 'loss="0.1"'), "right_hip: 0.05"),
    "friction of contacts": (RIGHT, RIGHT.replace('friction="0.8', 'friction="0.5'), "right_hip"),
    "gains": ('"left_knee" kp="60"', '"left_knee" kp="70"', "left_knee: 60 2 here, 70 2 there"),
    "actuators": ('joint="left_hip" kp', 'joint="left_hip" timeconst="0.1" kp', "actuator_"),
    "limits of joints": ('range="-2 0"', 'range="-2.5 0"', "left_knee: -2 here, -2.5 there"),
    "limits of torque": ('range="-2 0"', 'range="-2 0" actuatorfrcrange="-9 9"', "left_knee: inf"),
    "limits of actuators": ("-15 15", "-12 12", "right_hip ctrlrange: -15 15 here, -12 12 there"),
    "axes of joints": (
        'name="left_knee" axis="0 1 0"',
        'name="left_knee" axis="0 -1 0"',
        "left_knee: 1 here, -1 there",
    ),
    "frames of links": ('pos="0 0 -0.25">', 'pos="0 0 -0.26">', "left_shank: -0.25 here, -0.26"),
    "contact geometry": ('"sphere" size="0.02"', '"sphere" size="0.03"', "left_knee, geom 0 size"),
    "other settings": ('name="left_hip" axis', 'name="left_hip" stiffness="3" axis', "stiffness"),
}
"""Layer: text in the file, text in the other one, part of what is said."""

LINK = """<link name="{0}"><inertial><origin xyz="{1}"/><mass value="{2}"/>
  <inertia ixx="{3}" ixy="0" ixz="0" iyy="{3}" iyz="0" izz="0.001"/></inertial>
  <collision><origin xyz="0 0 -0.2"/><geometry><sphere radius="{4}"/></geometry></collision></link>
"""
JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
  <origin xyz="0 {3} -0.2"/><axis xyz="0 1 0"/><dynamics damping="0.2" friction="0.05"/>
  <limit lower="-1" upper="1" effort="20" velocity="10"/></joint>
"""
URDF = (
    '<robot name="leg">\n'
    + LINK.format("trunk", "0.01 0 0", 5.0, 0.05, 0.1)
    + LINK.format("thigh", "0 0 -0.1", 0.8, 0.003, 0.02)
    + LINK.format("shank", "0 0 -0.05", 0.3, 0.002, 0.02)
    + JOINT.format("hip", "trunk", "thigh", 0.1)
    + JOINT.format("knee", "thigh", "shank", 0.0)
    + "</robot>"
)
KNEE = JOINT.format("knee", "thigh", "shank", 0.0)
IN_URDF = {
    "mass of links": ('value="0.3"', 'value="0.31"', "shank: 0.3 here, 0.31 there"),
    "centres of mass": ("0 0 -0.05", "0 0 -0.06", "shank: -0.05 here, -0.06 there"),
    "inertia of links": ('ixx="0.003"', 'ixx="0.0035"', "thigh: 0.003 here, 0.0035 there"),
    "damping of joints": (KNEE, KNEE.replace('damping="0.2"', 'damping="0.3"'), "knee: 0.2 here"),
    "friction of joints": (KNEE, KNEE.replace("0.05", "0.06"), "knee: 0.05 here, 0.06 there"),
    "limits of joints": (KNEE, KNEE.replace('"-1"', '"-2"'), "knee: -1 here, -2 there"),
    "limits of torque": (KNEE, KNEE.replace('"20"', '"25"'), "knee: 20 here, 25 there"),
    "axes of joints": (KNEE, KNEE.replace("0 1 0", "0 -1 0"), "knee: 1 here, -1 there"),
    "frames of links": (KNEE, KNEE.replace("-0.2", "-0.21"), "shank: -0.2 here, -0.21 there"),
    "contact geometry": ('radius="0.1"', 'radius="0.11"', "0.1 0 0 here, 0.11 0 0 there"),
}

SCENE = """
[simulation]
time_step = 1e-3
[world]
gravity = [0.0, 0.0, -9.81]
[world.terrain]
plugin = "plane"
friction = 0.8
[bodies.dog]
robot = "quadruped"
mass_scale = 1.0
joint_positions = { "*_hip_pitch" = 0.75, "*_knee" = -1.5 }
[[bodies.dog.actuators]]
joints = ["*"]
gear_ratio = 8.0
rotor_inertia = 6e-5
torque_limit = 20.0
[bodies.dog.controller]
plugin = "posture"
stiffness = 300.0
damping = 8.0
rate = 500.0
[bodies.crate]
shape = { type = "box", size = [0.2, 0.2, 0.1] }
mass = 2.0
base_position = [1.0, 0.0, 0.05]
[contact]
compliance = 0.0
"""
IN_SCENE = {
    "time step": ("time_step = 1e-3", "time_step = 2e-3", "0.001 here, 0.002 there"),
    "gravity": ("-9.81", "-1.62", "0 0 -9.81 here, 0 0 -1.62 there"),
    "solver": ("compliance = 0.0", "compliance = 1e-6", "contact.compliance: 0 here, 1e-06 there"),
    "start posture": ("= -1.5", "= -1.6", "fl_knee: -1.5 here, -1.6 there"),
    "contact geometry": ("[0.2, 0.2, 0.1]", "[0.2, 0.25, 0.1]", "crate"),
    "friction of contacts": ("friction = 0.8", "friction = 0.7", "world.terrain.friction"),
    "limits of torque": ("torque_limit = 20.0", "torque_limit = 15.0", "20 here, 15 there"),
    "gains": (
        "stiffness = 300.0",
        "stiffness = 250.0",
        "stiffness: 300 here, 250 there",
    ),
    "reflected inertia": ("gear_ratio = 8.0", "gear_ratio = 9.0", "0.00384 here, 0.00486 there"),
    "mass of links": ("mass_scale = 1.0", "mass_scale = 1.1", "here"),
    "friction of joints": ("gear_ratio = 8.0", "gear_ratio = 8.0\ncoulomb_friction = 0.1", "0.1"),
    "other settings": ("rate = 500.0", "rate = 250.0", "controller.rate: 500 here, 250 there"),
}


def two(folder, one, other, suffix):
    """Return a comparison of two texts as files."""
    paths = folder / f"one{suffix}", folder / f"other{suffix}"
    for path, said in zip(paths, (one, other), strict=True):
        path.write_text(said)
    return footfall.twin(*paths)


MODELS = {".xml": (MJCF, IN_MJCF), ".urdf": (URDF, IN_URDF), ".toml": (SCENE, IN_SCENE)}
PLANTED = [(suffix, layer) for suffix, (_, planted) in MODELS.items() for layer in planted]


@pytest.mark.parametrize(("suffix", "layer"), PLANTED)
def test_what_is_planted_is_named_first(tmp_path, suffix, layer):
    model, planted = MODELS[suffix]
    old, new, said = planted[layer]
    assert model.count(old) == 1
    found = two(tmp_path, model, model.replace(old, new), suffix)
    assert found.first is not None
    assert (found.first.name, said in found.first.where) == (layer, True), found.first.where
    assert "different contacts" not in text(found)


SPHERE, SHANK = '<geom type="sphere" size="0.02"', '<body name="left_shank"'
ALSO_IN_MJCF = [
    (SPHERE, f'{SPHERE} conaffinity="2"', "contact geometry", "touches"),
    (SPHERE, f'{SPHERE} priority="1"', "softness of contacts", "priority"),
    (SHANK, f'{SHANK} gravcomp="1"', "other settings", "gravcomp"),
    ('ctrlrange="-15 15"', 'ctrlrange="-15 15" ctrllimited="false"', "limits of actuators", "inf"),
    ('joint="right_hip" ctrlrange', 'joint="left_hip" ctrlrange', "actuators", "actuator_trnid"),
    ('qpos="0 0 0.55 1 0 0 0 0.3', 'qpos="0 0 0.55 1 0 0 0 0.4', "start posture", "left_hip"),
]


@pytest.mark.parametrize(("old", "new", "layer", "said"), ALSO_IN_MJCF)
def test_more_of_a_file_is_compared(tmp_path, old, new, layer, said):
    assert MJCF.count(old) == 1
    found = two(tmp_path, MJCF, MJCF.replace(old, new), ".xml")
    assert found.first is not None
    assert (found.first.name, said in found.first.where) == (layer, True), found.first.where


def test_a_file_without_a_keyframe_has_a_posture(tmp_path):
    start = MJCF.index("  <keyframe>")
    bare = MJCF[:start] + MJCF[MJCF.index("</mujoco>", start) :]
    assert two(tmp_path, MJCF, bare, ".xml").first.name == "start posture"


@pytest.mark.parametrize("suffix", MODELS)
def test_equal_models_agree(tmp_path, suffix):
    model, _ = MODELS[suffix]
    assert "all layers agree" in text(two(tmp_path, model, model, suffix))


def test_equal_scenes_stay_together(tmp_path):
    found = two(tmp_path, SCENE, SCENE, ".toml")
    assert (found.steps, found.difference) == (200, 0.0)


def test_an_mjcf_and_a_urdf_are_compared_by_joints(tmp_path):
    """The same two joints with other link names, and a mass that differs."""
    model = """<mujoco><compiler angle="radian"/><worldbody><body name="upper" pos="0 0.1 -0.2">
      <inertial pos="0 0 -0.1" mass="0.8" diaginertia="0.003 0.003 0.001"/>
      <joint name="hip" axis="0 1 0" range="-1 1" damping="0.2" frictionloss="0.05"
        actuatorfrcrange="-20 20"/><geom type="sphere" size="0.02" pos="0 0 -0.2"/>
      <body name="lower" pos="0 0 -0.2"><inertial pos="0 0 -0.05" mass="0.4"
        diaginertia="0.002 0.002 0.001"/><joint name="knee" axis="0 1 0" range="-1 1" damping="0.2"
        frictionloss="0.05" actuatorfrcrange="-20 20"/>
        <geom type="sphere" size="0.02" pos="0 0 -0.2"/></body></body>
      <geom type="sphere" size="0.1" pos="0 0 -0.2"/></worldbody></mujoco>"""
    one, other = tmp_path / "one.xml", tmp_path / "other.urdf"
    one.write_text(model)
    other.write_text(URDF)
    found = footfall.twin(one, other)
    assert (found.first.name, found.first.where) == (
        "mass of links",
        "lower: 0.4 here, 0.3 there",
    )
    assert "time step, gravity, solver" in found.note


def test_a_scene_is_compared_with_the_file_of_its_robot():
    """Only what the scene gives the robot differs: rotors, and limits that it does not hold."""
    found = footfall.twin("quadruped/standing", footfall.load_robot("quadruped").urdf.path)
    differing = {each.name for each in found.layers if not each.agrees}
    assert differing == {"reflected inertia", "limits of joints", "inertia M"}
    assert "start posture" in found.note


def test_a_file_without_shapes_differs_in_its_geometry_and_a_scene_is_not_compared(tmp_path):
    bare = MJCF.replace("<geom ", '<geom contype="0" conaffinity="0" ')
    found = two(tmp_path, MJCF, bare, ".xml")
    assert (found.first.name, "none there" in found.first.where) == ("contact geometry", True)
    mixed = footfall.twin("quadruped/standing", tmp_path / "other.xml")
    assert "contact geometry" in mixed.note


@pytest.mark.parametrize("scene", ["quadruped/standing", "cube/stack", "humanoid/grasp"])
def test_a_scene_and_its_export_agree_but_for_limits_that_do_not_act(tmp_path, scene):
    """Limits of the model file without a drive that holds them are not exported."""
    path = tmp_path / "scene.xml"
    with pytest.warns(RobotWarning, match="left out"):
        export_mjcf(scene, path, overwrite=False)
    differing = {each.name for each in footfall.twin(scene, path).layers if not each.agrees}
    assert differing <= {"limits of torque"}
    path.write_text(path.read_text().replace("-9.81", "-9.8"))
    found = footfall.twin(scene, path).first
    assert (found.name, "-9.81 here, 0 0 -9.8 there" in found.where) == ("gravity", True)


def test_the_page_of_two_models_names_both_and_what_is_left_out(tmp_path, capsys):
    one, other = tmp_path / "one.xml", tmp_path / "other.urdf"
    one.write_text(MJCF)
    other.write_text(URDF)
    twin_command(str(one), str(other), html=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for said in (str(other), "not compared", "First difference: <b>joints</b>"):
        assert said in page
    assert "first that differs: joints" in capsys.readouterr().out


def test_models_with_other_joints_are_compared_as_far_as_names_go(tmp_path):
    other = MJCF.replace(RIGHT, "").replace(
        '<motor name="right_hip" joint="right_hip" ctrlrange="-15 15"/>', ""
    )
    other = other.replace("-0.6 0.1", "-0.6").replace('mass="0.3"', 'mass="0.4"')
    found = two(tmp_path, MJCF, other, ".xml")
    assert found.first.name == "joints"
    assert found.first.where == "nq 10 here, 9 there; only here: right_hip"
    differing = {each.name for each in found.layers if not each.agrees}
    assert not {"order of joints", "gains", "start posture", "frames of links"} & differing
    (mass,) = (each for each in found.layers if each.name == "mass of links")
    assert mass.where == "left_shank: 0.3 here, 0.4 there"


def test_a_fixed_and_a_floating_base_are_told(tmp_path):
    fixed = MJCF.replace("<freejoint/>", "").replace('qpos="0 0 0.55 1 0 0 0 ', 'qpos="')
    found = two(tmp_path, MJCF, fixed, ".xml")
    assert found.first.where == "nq 10 here, 3 there; only here: floating base"


def test_a_file_that_mujoco_cannot_load_is_read_by_footfall(tmp_path):
    """MuJoCo does not look for packages."""
    (tmp_path / "leg").mkdir()
    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in (corners[k] for k in face))
        + "endloop\nendfacet\n"
        for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    )
    (tmp_path / "leg" / "trunk.stl").write_text(f"solid trunk\n{facets}endsolid trunk\n")
    mesh = URDF.replace('<sphere radius="0.1"/>', '<mesh filename="package://leg/trunk.stl"/>')
    found = two(tmp_path, mesh, mesh.replace('value="0.3"', 'value="0.31"'), ".urdf")
    assert found.note.startswith("read by Footfall; compared are joints, links and limits of ")
    assert found.first.where == "shank: 0.3 here, 0.31 there"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("quadruped/standing", "none.urdf"), r"^none.urdf: no such file$"),
        (("quadruped/standing", "drake"), r"no scene 'drake'"),
    ],
)
def test_a_model_that_is_not_there_is_told(names, said):
    with pytest.raises(FootfallError, match=said):
        footfall.twin(*names)

"""Twins of two models or scenes: what is planted in one of them is named first."""

import pytest

import footfall

pytest.importorskip("mujoco", reason='needs the extra "mujoco"')

from footfall_compare.twin.command import text

MJCF = """
<mujoco>
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
    "actuators": ('joint="right_hip" ctrl', 'joint="right_hip" gear="2" ctrl', "right_hip gear"),
    "limits of joints": ('range="-2 0"', 'range="-2.5 0"', "left_knee: -2 here, -2.5 there"),
    "limits of torque": (
        'joint="left_hip" kp="60" kv="2" forcerange="-20 20"',
        'joint="left_hip" kp="60" kv="2" forcerange="-25 25"',
        "left_hip: 20 here, 25 there",
    ),
    "axes of joints": (
        'name="left_knee" axis="0 1 0"',
        'name="left_knee" axis="0 -1 0"',
        "left_knee: 1 here, -1 there",
    ),
    "frames of links": ('pos="0 0 -0.25">', 'pos="0 0 -0.26">', "left_shank: -0.25 here, -0.26"),
    "contact geometry": ('"sphere" size="0.02"', '"sphere" size="0.03"', "left_knee, geom 0, size"),
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
    "contact geometry": ('radius="0.1"', 'radius="0.11"', "base"),
}


def two(folder, one, other, suffix):
    """Return a comparison of two texts as files."""
    paths = folder / f"one{suffix}", folder / f"other{suffix}"
    for path, said in zip(paths, (one, other), strict=True):
        path.write_text(said)
    return footfall.twin(*paths)


@pytest.mark.parametrize("layer", IN_MJCF)
def test_what_is_planted_in_an_mjcf_is_named_first(tmp_path, layer):
    old, new, said = IN_MJCF[layer]
    assert MJCF.count(old) == 1
    found = two(tmp_path, MJCF, MJCF.replace(old, new), ".xml")
    assert found.first is not None
    assert (found.first.name, said in found.first.where) == (layer, True), found.first.where


@pytest.mark.parametrize("layer", IN_URDF)
def test_what_is_planted_in_a_urdf_is_named_first(tmp_path, layer):
    old, new, said = IN_URDF[layer]
    assert URDF.count(old) == 1
    found = two(tmp_path, URDF, URDF.replace(old, new), ".urdf")
    assert found.first is not None
    assert (found.first.name, said in found.first.where) == (layer, True), found.first.where


@pytest.mark.parametrize(("model", "suffix"), [(MJCF, ".xml"), (URDF, ".urdf")])
def test_equal_files_agree(tmp_path, model, suffix):
    assert "all layers agree" in text(two(tmp_path, model, model, suffix))

"""SDF models have Drake's dynamics; nothing is read outside their folder and packages."""

import numpy as np
import pytest
from tests.core.test_importing_gltf import written
from tests.plugins.engine_models import engine

from footfall.api.plugin import RobotError
from footfall.model.robot import Robot
from footfall_import.locate import locate
from footfall_import.read_model import read_model


def inertial(mass, pose="0 0 0.2 0 0 0"):
    return (
        f"<inertial><pose>{pose}</pose><mass>{mass}</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy>"
        "<izz>0.25</izz><ixy>0.01</ixy></inertia></inertial>"
    )


ARM = f"""<model name="arm"><pose>0.1 0.2 0.5 0.1 0.2 0.3</pose>
<frame name="f" attached_to="base"><pose degrees="true">0.1 0 0.2 30 0 0</pose></frame>
<link name="base"><pose>0.1 0 0 0 0 0.3</pose>{inertial(2, "0.01 0.02 0.03 0.4 0 0.1")}</link>
<link name="upper"><pose relative_to="f">0 0 .1 0 0.2 0</pose>{inertial(1.5)}</link>
<joint name="j" type="revolute"><pose>0 0.05 -0.1 0.1 0 0</pose><parent>base</parent>
  <child>upper</child><axis><xyz expressed_in="f">0 1 1</xyz>
  <limit><lower>-1</lower><upper>1</upper><effort>5</effort></limit>
  <dynamics><damping>0.3</damping><spring_stiffness>2</spring_stiffness></dynamics></axis></joint>
<model name="hand"><pose relative_to="upper">0 0 0.4 0 0 0</pose>
  <link name="palm">{inertial(0.5)}</link>
  <link name="finger"><pose>0 0 .1 0 0 0</pose>{inertial(0.2)}</link>
  <joint name="u" type="universal"><parent>palm</parent><child>finger</child>
    <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint></model>
<joint name="weld" type="fixed"><parent>upper</parent><child>hand::palm</child></joint></model>"""
BOX = "<geometry><box><size>1 2 0.1</size></box></geometry>"
TABLE = (
    '<model name="table"><static>true</static><pose>1 2 0.3 0 0 0.4</pose><link name="top">'
    f'<collision name="c">{BOX}</collision></link></model>'
)
GROUND = (
    '<model name="ground"><static>1</static><link name="l"><collision name="c"><geometry><plane/>'
    "</geometry></collision></link></model>"
)


def read(folder, inside, **options):
    path = folder / "it.sdf"
    path.write_text(f'<sdf version="1.9">{inside}</sdf>')
    return read_model(locate(str(path)), **options)


def test_an_arm_with_frames_and_a_nested_hand_moves_as_in_drake(tmp_path):
    drake = pytest.importorskip("pydrake.all", reason='needs the extra "drake"')
    model = read(tmp_path, ARM)
    assert (model.base, model.springs) == ("floating", {"j": (2.0, 0.0)})
    assert model.urdf.joints["j"].damping == 0.3
    tree = engine("pinocchio").load(
        Robot.from_urdf("it", model.urdf, "floating").source("it", np.array([0.0, 0.0, -9.81]))
    )
    names = ("j", "hand::u_0", "hand::u_1")
    assert tree.model.joint_names == names
    plant = drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModels(str(tmp_path / "it.sdf"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    pose = plant.GetFreeBodyPose(context, plant.GetBodyByName("base"))
    np.testing.assert_allclose(model.start.translation, pose.translation(), atol=1e-12)
    np.testing.assert_allclose(model.start.rotation, pose.rotation().matrix(), atol=1e-12)
    q = np.array([0.3, 0.4, 0.5])
    plant.GetJointByName("j").set_angle(context, q[0])
    plant.GetJointByName("u").set_angles(context, q[1:])
    turn = pose.rotation().ToQuaternion()
    base = [*pose.translation(), turn.x(), turn.y(), turn.z(), turn.w()]
    tree.evaluate(np.concatenate([base, q]), np.zeros(9))
    theirs = plant.CalcMassMatrix(context)
    np.testing.assert_allclose(tree.M[6:, 6:], theirs[6:, 6:], atol=1e-12)
    gravity = plant.CalcGravityGeneralizedForces(context)
    np.testing.assert_allclose(tree.h[6:], -gravity[6:], atol=1e-12)


def test_models_of_a_world_are_bodies_of_the_scene(tmp_path):
    world = f"<world name='w'><gravity>0 0 -3</gravity>{GROUND}{TABLE}{ARM}</world>"
    model = read(tmp_path, world)
    assert (model.root, model.gravity, [each.root for each in model.others]) == (
        "arm",
        (0.0, 0.0, -3.0),
        ["table"],
    )
    table = model.others[0]
    assert (table.base, table.urdf.root) == ("fixed", "world")
    weld = table.urdf.joints["top_static"].origin
    np.testing.assert_allclose(weld.translation, [1.0, 2.0, 0.3])
    np.testing.assert_allclose(weld.rpy, [0.0, 0.0, 0.4], atol=1e-12)
    assert '<model> "ground"' in {finding.subject for finding in model.findings}
    alone = read(tmp_path, world, body="table")
    assert (alone.root, alone.others) == ("table", ())


PLACED = f"""<world name="w">
<frame name="bench"><pose>1 2 0.5 0 0 0.3</pose></frame>
<model name="cube"><pose relative_to="bench">0.1 0 0.2 0 0.1 0</pose>
  <link name="low">{inertial(1)}</link><frame name="top" attached_to="low">
  <pose>0 0 0.2 0.3 0 0</pose></frame></model>
<frame name="on" attached_to="cube::top"><pose>0 0 0.1 0 0 0.4</pose></frame>
<model name="arm" placement_frame="tip" canonical_link="b">
  <pose relative_to="on">0 .2 0 0 0 1</pose>
  <link name="a"><pose relative_to="b">0 0.1 0 0 0 0</pose>{inertial(2)}</link>
  <link name="b"><pose>0.3 0 0 0 0.2 0</pose>{inertial(1)}</link>
  <frame name="base"/><frame name="tip" attached_to="b"><pose>0 0 0.4 0.1 0 0</pose></frame>
  <joint name="j" type="fixed"><parent>base</parent><child>a</child></joint></model></world>"""


def test_models_of_a_world_are_placed_by_its_frames_as_in_drake(tmp_path):
    drake = pytest.importorskip("pydrake.all", reason='needs the extra "drake"')
    read(tmp_path, PLACED)
    plant = drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModels(str(tmp_path / "it.sdf"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    for name, body in (("cube", "low"), ("arm", "b")):
        model = read(tmp_path, PLACED, body=name)
        root = plant.GetBodyByName(body, plant.GetModelInstanceByName(name))
        pose = plant.EvalBodyPoseInWorld(context, root)
        assert model.urdf.root == body
        np.testing.assert_allclose(model.start.translation, pose.translation(), atol=1e-12)
        np.testing.assert_allclose(model.start.rotation, pose.rotation().matrix(), atol=1e-12)


def test_models_of_one_name_are_named_apart(tmp_path):
    model = read(tmp_path, f"<world name='w'>{TABLE}{TABLE}{TABLE}</world>")
    assert [each.root for each in (model, *model.others)] == ["table", "table_2", "table_3"]
    said = [f.text for f in model.findings if f.subject == '<model> "table"']
    assert said == [f'its name is taken: called "table_{n}"' for n in (2, 3)]


def test_included_models_and_meshes_are_those_of_the_folder(tmp_path):
    (tmp_path / "part").mkdir()
    mesh = "<geometry><mesh><uri>{}</uri><scale>2 2 2</scale></mesh></geometry>"
    inside = f'<link name="l"><collision name="c">{mesh.format("part.ply")}</collision></link>'
    part = f'<sdf version="1.9"><model name="x"><pose>9 9 9 0 0 0</pose>{inside}</model></sdf>'
    (tmp_path / "part" / "other.sdf").write_text(part)
    (tmp_path / "part" / "model.config").write_text("<model><sdf>other.sdf</sdf></model>")
    written(tmp_path / "part", "ply")
    include = "<include><uri>{}</uri><name>named</name><pose>1 0 0 0 0 0</pose></include>"
    for uri in ("part", "model://part", "part/other.sdf"):
        model = read(tmp_path, f"<world>{include.format(uri)}</world>")
        assert model.root == "named"
        np.testing.assert_allclose(model.start.translation, [1.0, 0.0, 0.0])
        shape = model.urdf.links["l"].collisions[0].shape
        assert (shape.mesh, shape.size) == (str(tmp_path / "part" / "part.ply"), (2.0, 2.0, 2.0))
    merged = include.format("part").replace("<include>", '<include merge="true">')
    said = read(tmp_path, f"<world>{merged}</world>").findings
    assert any("merge is not honoured" in finding.text for finding in said)
    (tmp_path / "deeper").mkdir()
    there = tmp_path / "part"
    for uri in ("../part", str(there), f"file://{there}", "https://x.invalid/p", "model://../part"):
        with pytest.raises(RobotError, match="holds no model"):
            read(tmp_path / "deeper", f"<world>{include.format(uri)}</world>")
    for uri in ("../part/part.ply", str(there / "part.ply"), f"file://{there}/part.ply"):
        named = f'<uri file="{there}/part.ply">'
        text = inside.replace("part.ply", uri).replace("<uri>", named)
        with pytest.raises(RobotError, match="was not found in the model's folder or a package"):
            read(tmp_path / "deeper", f'<model name="m">{text}</model>')


LINK = '<link name="a"/>'


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("", "holds no model"),
        (f'<model name="m">{LINK}{LINK}</model>', 'link> "m::a": is defined twice'),
        (f'<model name="m">{LINK}<frame name="f" attached_to="f"/></model>', "m::f -> m::f"),
        ('<model name="m"><link name="a"><pose relative_to="b"/></link></model>', 'no part "m::b"'),
        ('<model name="m"><link name="a"><pose relative_to="a"/></link></model>', "by itself"),
        ('<model name="m"><link name="a"><pose>1 2</pose></link></model>', "must be 6 numbers"),
        (f'<model name="m">{LINK}<joint name="j" type="fixed"/></model>', "needs a <parent>"),
        (
            f'<model name="m">{LINK}<joint name="j" type="screw"><parent>world</parent>'
            "<child>a</child></joint></model>",
            "type 'screw' is not supported",
        ),
        (
            f'<world><model name="m"><pose relative_to="t"/>{LINK}</model></world>',
            'no part "t"',
        ),
        (
            '<world><frame name="f"><pose relative_to="m"/></frame><model name="m">'
            f'<pose relative_to="f"/>{LINK}</model></world>',
            "is placed by itself: f -> m -> f",
        ),
        (
            f'<model name="m">{LINK}<frame name="f" attached_to="g"><pose relative_to="a"/></frame>'
            '<frame name="g" attached_to="f"/><joint name="j" type="fixed"><parent>f</parent>'
            "<child>a</child></joint></model>",
            "is placed by itself: f -> g -> f",
        ),
        ("<include><uri>it.sdf</uri></include>", "include each other too deeply"),
        (
            f'<model name="m">{LINK}<model name="n"/><joint name="j" type="fixed">'
            "<parent>n</parent><child>a</child></joint></model>",
            '"n": holds no link',
        ),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, inside, said):
    with pytest.raises(RobotError, match=said) as caught:
        read(tmp_path, inside)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("version", ["1.4", "1.5", "1.9"])
def test_axes_of_old_versions_are_in_the_models_frame_as_in_drake(tmp_path, version):
    drake = pytest.importorskip("pydrake.all", reason='needs the extra "drake"')
    path = tmp_path / "it.sdf"
    path.write_text(
        f'<sdf version="{version}"><model name="m"><link name="a">{inertial(1)}</link>'
        f'<link name="b"><pose>0 0 1 0.4 0.3 0</pose>{inertial(2)}</link>'
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>'
        "<limit><lower>-1</lower><upper>1</upper></limit></axis></joint></model></sdf>"
    )
    plant = drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModels(str(path))
    plant.Finalize()
    axis = plant.GetJointByName("j").revolute_axis()
    frame = plant.GetJointByName("j").frame_on_child().GetFixedPoseInBodyFrame().rotation()
    ours = read_model(locate(str(path))).urdf.joints["j"].axis
    np.testing.assert_allclose(ours, frame.multiply(axis), atol=1e-12)


def test_a_part_of_a_model_that_is_not_there_names_the_include(tmp_path):
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>iris::base</child></joint>'
    include = "<include><uri>model://iris</uri></include>"
    with pytest.raises(RobotError, match=r"no part .m::iris::base.*<include> model://iris is not"):
        read(tmp_path, f'<model name="m">{LINK}{include}{joint}</model>')


def test_a_gazebo_world_with_static_things_without_mass(tmp_path):
    still = TABLE.replace(
        '<link name="top">', '<link name="top"><inertial><mass>0</mass></inertial>'
    )
    (tmp_path / "it.world").write_text(f"<sdf version='1.6'><world name='w'>{still}</world></sdf>")
    model = read_model(locate(str(tmp_path / "it.world")))
    assert (model.root, model.urdf.links["top"].inertial) == ("table", None)


def test_an_unknown_name_offers_the_nearest(tmp_path):
    with pytest.raises(RobotError, match="no model \"tabel\", did you mean 'table'"):
        read(tmp_path, TABLE, body="tabel")


def test_the_model_itself_stands_for_its_first_link(tmp_path):
    joint = '<joint name="j" type="fixed"><parent>__model__</parent><child>b</child></joint>'
    model = read(tmp_path, f'<model name="m">{LINK}<link name="b"/>{joint}</model>')
    assert (model.urdf.root, model.urdf.joints["j"].parent) == ("a", "a")

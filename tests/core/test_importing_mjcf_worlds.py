"""Fixed geoms of an MJCF's world become objects; its contact rules are those of the scene."""

import numpy as np
import pytest

import footfall
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.write import write_robot

ARM = (
    '<body name="l1" pos="0 0 0.1"><joint name="j" axis="0 1 0"/>'
    '<geom name="g1" type="capsule" size="0.02" fromto="0 0 0 0 0 0.3"{bits}/>'
    '<body name="l2" pos="0 0 0.3"><joint name="k" axis="0 1 0"/>'
    '<geom name="g2" type="box" size="0.1 0.1 0.1" mass="1"{bits}/>'
    '<body name="hand/l3" pos="0 0 0.1"><joint name="m" axis="0 1 0"/>'
    '<geom name="g3" size="0.05" pos="0 0 0.5"{bits}/></body></body></body>'
)
TABLE = '<geom name="table" type="box" pos="0.6 0 0.2" size="0.2 0.3 0.2" rgba="1 0 0 1"/>'
CUBE = (
    '<body name="cube" pos="0.6 0 {z}"><freejoint/><geom type="box" size="0.03 0.03 0.03"/></body>'
)


def written(folder, world, rest="", bits=""):
    path = folder / "cell.xml"
    bodies = world + ARM.format(bits=bits)
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody>{rest}</mujoco>")
    located = locate(str(path))
    proposal = propose(located, read_model(located), Wishes(), discover())
    write_robot(proposal, folder / "cell")
    return footfall.load_scene(folder / "cell" / "scenes" / "standing.toml"), proposal


def test_a_cube_rests_on_the_table_of_its_file(tmp_path):
    floor = '<geom name="floor" type="plane" size="2 2 0.1"/>'
    scene, proposal = written(tmp_path, floor + TABLE + CUBE.format(z=0.45))
    table = scene.bodies["table"]
    assert (table.fixed, table.base_position, table.color) == (True, (0.6, 0.0, 0.2), (1, 0, 0))
    assert not [finding for finding in proposal.findings if finding.lost]
    run = footfall.assemble(scene).run(duration=0.6)
    place = run.base_position.sel(body="cube").values[-1]
    np.testing.assert_allclose(place, [0.6, 0.0, 0.43], atol=1e-6)


def test_other_fixed_things_are_where_the_file_has_them(tmp_path):
    """Ground below zero, a wall, a tilted body of two geoms, and a height field."""
    world = (
        '<geom type="plane" pos="0 0 -0.5" size="9 9 1"/>'
        '<geom name="wall" type="plane" pos="2 0 0" zaxis="-1 0 0" size="1 2 1"/>'
        '<geom name="terrain" type="hfield" hfield="h" pos="-3 0 0"/>'
        '<body name="rack" pos="0 2 0" euler="0 0 90"><geom name="post" type="cylinder" '
        'size="0.1 0.5" pos="1 0 0"/><geom size="0.2" contype="2"/></body>'
    )
    asset = '<asset><hfield name="h" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="{}"/></asset>'
    scene, _ = written(tmp_path, world, asset.format("0 0 0 10 0 20"))
    assert scene.world.terrain.config.offset == -0.5
    wall, post = scene.bodies["wall"], scene.bodies["post"]
    np.testing.assert_allclose(wall.shape.size, (2.0, 4.0, 0.1))
    np.testing.assert_allclose(wall.base_position, (2.05, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(post.base_position, (0.0, 3.0, 0.0), atol=1e-12)
    assert (post.shape.radius, post.shape.length) == (0.1, 1.0)
    assert {"rack_4", "terrain_2"} <= set(scene.bodies)
    heights = np.load(tmp_path / "cell" / "meshes" / "object_terrain_2.npy")
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "cell.xml"))
    np.testing.assert_allclose(heights, 0.5 * model.hfield_data.reshape(2, 3).T, atol=1e-7)
    footfall.assemble(scene).step()


def test_a_grey_picture_stored_in_colours_is_a_height_field(tmp_path):
    from PIL import Image

    mujoco = pytest.importorskip("mujoco")
    grey = np.array([[0, 50, 100], [200, 250, 130]], np.uint8)
    Image.fromarray(np.stack([grey] * 3, axis=2)).save(tmp_path / "hill.png")
    asset = '<asset><hfield name="h" file="hill.png" size="1 2 0.5 0.1"/></asset>'
    _, proposal = written(tmp_path, '<geom name="hill" type="hfield" hfield="h"/>', asset)
    hill = proposal.model.relief
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "cell.xml"))
    np.testing.assert_allclose(hill.heights, 0.5 * model.hfield_data.reshape(2, 3).T, atol=1e-7)


def test_a_robot_stands_on_the_height_field_of_its_file(tmp_path):
    """Without a level plane it is the ground: flat at 0.5 m but for one corner."""
    asset = '<asset><hfield name="h" nrow="3" ncol="3" size="1 1 0.5 0.1" elevation="{}"/></asset>'
    text = asset.format("0 1 1 1 1 1 1 1 1") + "<worldbody>"
    text += '<geom type="hfield" hfield="h" pos="0 0 0.1"/><body name="cube" pos="0.4 -0.4 2">'
    text += '<freejoint/><geom type="box" size="0.03 0.03 0.03"/></body></worldbody>'
    (tmp_path / "hill.xml").write_text(f"<mujoco>{text}</mujoco>")
    located = locate(str(tmp_path / "hill.xml"))
    write_robot(propose(located, read_model(located), Wishes(), discover()), tmp_path / "hill")
    run = footfall.load(tmp_path / "hill" / "scenes" / "standing.toml").run(duration=0.2)
    place = run.base_position.values.reshape(len(run.time), 3)[-1]
    np.testing.assert_allclose(place, [0.4, -0.4, 0.63], atol=1e-6)


RULES = {
    "exclude": ("", '<exclude body1="l1" body2="l2"/>', [("cell/l1", "cell/l2")], []),
    "exclude far": ("", '<exclude body1="l1" body2="hand/l3"/>', [("cell/l1", "cell/hand/l3")], []),
    "pair alone": (
        ' contype="0" conaffinity="0"',
        '<pair geom1="g1" geom2="g3"/><pair geom1="g3" geom2="table"/>',
        [("table", "cell/l1")],
        [("cell/l1", "cell/hand/l3")],
    ),
}


@pytest.mark.parametrize("case", RULES)
def test_who_touches_whom_is_said_by_the_file(tmp_path, case):
    bits, contact, ignored, kept = RULES[case]
    scene, _ = written(tmp_path, TABLE, f"<contact>{contact}</contact>", bits)
    rules = scene.collisions
    assert rules.self_collision == ("cell",)
    told = [tuple(sorted(pair)) for pair in rules.ignore]
    assert told == [tuple(sorted(pair)) for pair in ignored]
    assert [tuple(pair) for pair in rules.keep] == kept
    footfall.assemble(scene).step()


@pytest.mark.parametrize("bits", ["", ' contype="0"', ' contype="0" conaffinity="0"'])
def test_links_that_touch_only_in_mujoco_are_told(tmp_path, bits):
    _, proposal = written(tmp_path, TABLE, bits=bits)
    told = [f.text for f in proposal.findings if f.subject == "contact bits"]
    assert [text.partition(",")[0] for text in told] == (
        [] if bits else ["1 pairs of its links may touch in MuJoCo (l1 and hand/l3"]
    )


def test_bits_keep_a_robot_off_the_table(tmp_path):
    """A link with no shape but an ellipsoid or a plane is in no rule."""
    odd = '<body name="odd" pos="0 0 3"><joint name="o"/><geom type="{}" size="0.1 0.1 0.1"/>'
    odd += '<geom mass="1" size="0.1" contype="0" conaffinity="0"/></body>'
    odds = odd.format("ellipsoid") + odd.format("plane").replace("odd", "even").replace(
        '"o"', '"e"'
    )
    scene, _ = written(tmp_path, TABLE + odds, bits=' contype="2" conaffinity="2"')
    assert [sorted(pair) for pair in scene.collisions.ignore] == [["cell", "table"]]
    footfall.assemble(scene).step()


def test_a_door_beside_a_driven_arm_is_a_body_that_nothing_holds(tmp_path):
    leg = '<body name="{0}" pos="0 {1} 0"><joint name="{0}" axis="0 1 0"/><geom type="capsule" '
    leg += 'size="0.02" fromto="0 0 0 0 0 -0.3"/></body>'
    legs = leg.format("left", 0.1) + leg.format("right", -0.1)
    body = f'<body name="dog" pos="0 3 1"><freejoint/><geom size="0.1"/>{legs}</body>'
    body += '<body name="door" pos="2 0 0"><joint name="hinge"/><geom size="0.1"/></body>'
    path = tmp_path / "rooms.xml"
    rest = '<actuator><motor joint="left"/></actuator>'
    path.write_text(f"<mujoco><worldbody>{body}</worldbody>{rest}</mujoco>")
    located = locate(str(path))
    proposal = propose(located, read_model(located), Wishes(), discover())
    (door,) = proposal.companions
    assert (door.name, door.base, dict(door.stiffness)) == ("door", "fixed", {})
    assert proposal.stiffness
    assert proposal.beside(door) == (0.0, 0.0, 0.0)  # its folder has the file's place


def test_a_robot_that_the_file_has_on_a_table_is_told(tmp_path):
    (tmp_path / "it.xml").write_text(
        '<mujoco><worldbody><geom type="plane" size="5 5 1"/>'
        '<geom name="table" type="box" size="1 1 0.05" pos="0 0 0.45"/><body pos="0 0 0.62">'
        '<freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>'
    )
    located = locate(str(tmp_path / "it.xml"))
    found = propose(located, read_model(located), Wishes(), discover())
    assert any("the file has it 0.52 m higher" in finding.text for finding in found.findings)

"""Collision shapes of MJCF files."""

import numpy as np
import pytest

from footfall import assemble, scene_from_dict
from footfall.errors import RobotError
from footfall_import.mjcf.geometry import read_shapes

MJCF = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
<body name="base" pos="0 0 1"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="box" size=".1 .2 .3" pos="0 0 .1" euler="0 0 90"/>
<geom type="capsule" fromto="0 0 0 0 0 1" size=".05"/>
<body name="arm" pos="0 0 .5"><joint name="j" axis="0 1 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="sphere" size=".1" contype="0" conaffinity="0"/><geom type="cylinder" size=".1 .2"/>
<body name="hand" pos=".1 0 0"><geom type="sphere" size=".03" pos="0 .2 0" mass="0.1"/></body>
</body></body></worldbody></mujoco>"""


def test_shapes_are_placed_on_their_bodies(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(MJCF)
    box, capsule, cylinder, sphere = read_shapes(path)
    assert [s.frame for s in (box, capsule, cylinder, sphere)] == ["base", "base", "arm", "hand"]
    assert box.shape.kind == "box"
    assert box.shape.size == pytest.approx((0.2, 0.4, 0.6))
    assert box.origin.translation == pytest.approx((0.0, 0.0, 0.1))
    assert np.abs(box.origin.rotation[:2, :2]) == pytest.approx(np.array([[0, 1], [1, 0]]))
    assert (capsule.shape.kind, capsule.shape.size) == ("capsule", pytest.approx((0.05, 1.0)))
    assert capsule.origin.translation == pytest.approx((0.0, 0.0, 0.5))
    assert (cylinder.shape.kind, cylinder.shape.size) == ("cylinder", pytest.approx((0.1, 0.4)))
    assert sphere.origin.translation == pytest.approx((0.0, 0.2, 0.0), abs=1e-12)


def test_a_file_that_is_none_is_refused_in_one_line(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text("<mujoco><worldbody>")
    with pytest.raises(RobotError) as caught:
        read_shapes(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


ARM = """<mujoco><compiler angle="radian"/>
<default><geom contype="{base}" conaffinity="{affinity}"/><default class="tip">
<geom contype="{tip}" conaffinity="{tip_affinity}"/></default></default>
<worldbody><body name="base"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom name="trunk" type="box" size=".1 .1 .1"/>
<body name="arm" pos="0 0 .5"><joint name="a" axis="0 1 0"/>
<inertial pos="0 0 0" mass=".1" diaginertia=".1 .1 .1"/>
<body name="tip" pos="0 0 -.345"><joint name="b" axis="0 1 0"/>
<inertial pos="0 0 0" mass=".1" diaginertia=".1 .1 .1"/>
<geom class="tip" type="sphere" size=".05"/></body></body></body></worldbody>{contact}</mujoco>"""
"""A ball on the second link of an arm, 5 mm above the trunk: within the margin."""


def load(path, bits=(1, 1, 1, 1), contact="", own=True, **collisions):
    """Return a simulator of the arm on a table whose top is at 0.5 m."""
    names = ("base", "affinity", "tip", "tip_affinity")
    path.write_text(ARM.format(contact=contact, **dict(zip(names, bits, strict=True))))
    table = {"shape": {"type": "box", "size": [1.0, 1.0, 0.5]}, "fixed": True, "friction": 0.8}
    return assemble(
        scene_from_dict(
            {
                "simulation": {"duration": 0.1},
                "bodies": {
                    "arm": {"robot": str(path), "base_position": [0.0, 0.0, 0.6]},
                    "table": {**table, "base_position": [0.0, 0.0, 0.25]},
                },
                "collisions": {**({"self_collision": ["arm"]} if own else {}), **collisions},
            }
        )
    )


def found(sim):
    """Return the pairs of links that are near each other."""
    shapes = {s.number: s.name.split("/")[1] for s in sim.world.collider.shapes}
    contacts = sim.world.collider.detector.found
    pairs = zip(contacts.geometry_a, contacts.geometry_b, strict=True)
    return {frozenset((shapes[int(a)], shapes[int(b)])) for a, b in pairs}


def test_an_mjcf_robot_stands_on_a_table_with_its_geoms(tmp_path):
    sim = load(tmp_path / "arm.xml")
    for _ in range(50):
        sim.step()
    assert sim.q[2] == pytest.approx(0.6, abs=2e-5)
    assert sim.signal("collision_wrench")[0, 2] == pytest.approx(1.2 * 9.81, rel=1e-3)


OWN = frozenset(("base", "tip"))
TABLE = frozenset(("base", "object"))


@pytest.mark.parametrize(
    ("bits", "touches"),
    [
        ((1, 1, 1, 1), True),
        ((1, 0, 1, 0), False),
        ((2, 0, 1, 2), True),
        ((1, 0, 0, 2), False),
        ((6, 0, 8, 4), True),
    ],
)
def test_links_of_one_robot_touch_as_their_bits_say_and_other_bodies_always(
    bits, touches, tmp_path
):
    """MuJoCo's rule: a bit of the one's contype in the other's conaffinity."""
    assert found(load(tmp_path / "arm.xml", bits)) == ({OWN, TABLE} if touches else {TABLE})


def test_a_geom_without_bits_touches_nothing(tmp_path):
    assert found(load(tmp_path / "arm.xml", (0, 0, 1, 1))) == set()


def test_what_an_mjcf_excludes_does_not_touch(tmp_path):
    contact = '<contact><exclude body1="tip" body2="base"/></contact>'
    sim = load(tmp_path / "arm.xml", contact=contact)
    assert found(sim) == {TABLE}
    wrong = contact.replace('"tip"', '"tipp"')
    said = r'<exclude>: body1="tipp": there is no such body, did you mean .tip.'
    with pytest.raises(RobotError, match=said):
        load(tmp_path / "arm.xml", contact=wrong)


def test_a_geom_that_cannot_touch_is_refused_by_name_unless_it_is_not_asked_for(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(MJCF.replace('type="cylinder" size=".1 .2"', 'type="ellipsoid" size="1 1 1"'))
    with pytest.raises(
        RobotError, match=r'ellipsoid of body "arm" is not supported as a collision'
    ):
        read_shapes(path)
    assert [s.frame for s in read_shapes(path, without=("arm",))] == ["base", "base", "hand"]


def test_an_mjcf_robot_is_drawn_with_its_geoms_in_their_colours(tmp_path):
    path = tmp_path / "arm.xml"
    load(path)
    path.write_text(path.read_text().replace('name="trunk"', 'name="trunk" rgba="1 0 0 .5"'))
    robot = {"robot": str(path), "base_position": [0.0, 0.0, 0.6]}
    world = {"gravity": [0.0, 0.0, 0.0]}
    sim = assemble(scene_from_dict({"world": world, "bodies": {"arm": robot}}))
    trunk, tip = [node for node in sim.provenance.nodes if node.layer == "visual"]
    assert (trunk.name, trunk.shape.size) == ("arm/base/0", (0.2, 0.2, 0.2))
    assert trunk.color == (1.0, 0.0, 0.0, 0.5)
    assert (tip.name, tip.shape.kind) == ("arm/tip/0", "sphere")
    assert sim.drawing().graph().links == ("arm/base", "arm/arm", "arm/tip")
    assert trunk.link == 0
    assert tip.link == 2

"""What is told of a scene at its start: bodies that nothing holds up, numbers in other units."""

import warnings
from itertools import product

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.errors import RobotWarning

BOX = {
    "shape": {"type": "box", "size": [0.2, 0.2, 0.2]},
    "base_position": [0.0, 0.0, 0.1],
    "friction": 0.5,
}
URDF = """<robot name="rod"><link name="rod">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
{shape}</link></robot>
"""
SHAPE = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'


def told(bodies, **more):
    """What is told of a scene of these bodies."""
    world = {"terrain": {"friction": 0.5}} | more.pop("world", {})
    scene = footfall.scene_from_dict({"bodies": bodies, "world": world, **more})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        footfall.assemble(scene)
    assert all(issubclass(one.category, RobotWarning) for one in found)
    return [str(one.message) for one in found]


@pytest.fixture
def rod(tmp_path):
    """Return the table of a robot without contact points, with a shape or without."""

    def make(shape=""):
        path = tmp_path / "rod.urdf"
        path.write_text(URDF.format(shape=shape))
        return {"robot": str(path), "base_position": [0.0, 0.0, 1.0], "friction": 0.5}

    return make


@pytest.mark.parametrize(("base", "shape"), list(product(("floating", "planar"), ("", SHAPE))))
def test_a_body_that_nothing_holds_up_is_told(rod, base, shape):
    (line,) = told({"x": rod(shape) | {"base": base}})
    assert line == (
        "x has no contact points, so no part of it touches the ground: give it some "
        '(footfall import), or set [collisions] ground = "shapes"'
    )


def test_several_bodies_that_fall_are_told_in_one_line(rod):
    (line,) = told({"x": rod(), "y": rod(), "z": rod()})
    assert line.startswith("x and 2 more bodies have no contact points")


@pytest.mark.parametrize(
    ("body", "more"),
    [
        ({"base": "fixed"}, {}),
        ({}, {"world": {"gravity": [0.0, 0.0, 0.0]}}),
        ({}, {"collisions": {"ground": "shapes"}}),
        ({"base": "planar", "base_orientation": [np.pi / 2, 0.0, 0.0]}, {}),
    ],
)
def test_what_is_held_or_does_not_fall_is_not_told(rod, body, more):
    assert told({"x": rod(SHAPE) | body}, **more) == []


def test_a_body_that_may_lie_on_another_is_not_told_unless_they_do_not_touch(rod):
    bodies = {"x": rod(SHAPE), "box": BOX}
    assert told(bodies) == []
    assert len(told(bodies, collisions={"detect": False})) == 1


@pytest.mark.parametrize(
    ("table", "expected"),
    first(
        ({"base_orientation": [0.0, 90.0, 0.0]}, "base_orientation: 90 rad: angles are in rad"),
        ({"base_orientation": [0.0, -6.29, 0.0]}, "base_orientation: -6.29 rad: angles are in rad"),
        ({"base_orientation": [0.0, -6.28, 6.28]}, None),
        ({"shape": {"type": "box", "size": [0.2, 200.0, 0.2]}}, "shape: 200 m: lengths are in m"),
        ({"shape": {"type": "box", "size": [50.0, 50.0, 50.0]}}, None),
        ({"shape": {"type": "sphere", "radius": 26.0}}, "shape: 52 m: lengths are in m"),
        ({"shape": {"type": "capsule", "radius": 20.0, "length": 15.0}}, "shape: 55 m: lengths"),
        ({"shape": {"type": "cylinder", "radius": 20.0, "length": 15.0}}, None),
        ({"shape": {"type": "box", "size": [200.0, 200.0, 0.2]}, "fixed": True}, None),
        ({"shape": {"type": "box", "size": [200.0, 200.0, 60.0]}, "fixed": True}, "shape: 200 m"),
        runs=3,
        names=2,
    ),
)
def test_numbers_in_other_units_are_told(table, expected):
    found = told({"box": BOX | {"base_position": [0.0, 0.0, 200.0]} | table, "other": BOX})
    assert len(found) == (expected is not None)
    assert all(line.startswith(f"bodies.box.{expected}") for line in found)


def test_joints_beyond_a_turn_are_told():
    (line,) = told({"rod": {"robot": "pendulum", "joint_positions": {"*": 90.0}}})
    assert line.startswith("bodies.rod.joint_positions: 90 for '*': angles are in rad")


def test_a_mesh_in_millimetres_is_told(tmp_path):
    corners = [(0, 0, 0), (200, 0, 0), (0, 100, 0), (0, 0, 100)]
    faces = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "part.obj").write_text("\n".join(lines) + "\n")
    shape = {"type": "mesh", "file": str(tmp_path / "part.obj")}
    place = {"base_position": [0.0, 0.0, 1.0]}
    assert told({"part": BOX | place | {"shape": shape}}) == [
        "bodies.part.shape: 200 m: lengths are in m"
    ]
    small = shape | {"scale": [1e-3, 1e-3, 1e-3]}
    assert told({"part": BOX | place | {"shape": small}}) == []


def test_gravity_that_points_up_is_told():
    (line,) = told({"box": BOX}, world={"gravity": [0.0, 0.0, 9.81]})
    assert line.startswith("world.gravity: 9.81 m/s^2 along z points up")

"""Shapes in scenes that are not what they should be: told in one line, with what is used."""

import re
import warnings
from pathlib import Path

import pytest
from tests.cases import first

from footfall import assemble, scene_from_dict
from footfall.errors import FootfallError, RobotWarning

CHANNEL = [(0, 0), (3, 0), (3, 2), (2.5, 2), (2.5, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)]
"""A U seen along y, in decimetres: 0.3 m wide, 0.2 m high, walls and floor of 5 cm."""
CAP = [(0, 5, 6), (0, 6, 7), (0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4)]


def channel(folder, extra=()):
    """Write a closed channel of 0.4 m along y, about x = 0; return the file."""
    points = [(0.1 * x - 0.15, y, 0.1 * z) for y in (-0.2, 0.2) for x, z in CHANNEL]
    n = len(CHANNEL)
    faces = [*CAP, *((a + n, c + n, b + n) for a, b, c in CAP)]
    for k in range(n):
        a, b = k, (k + 1) % n
        faces += [(a, a + n, b + n), (a, b + n, b)]
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    # Counter-clockwise seen from outside.
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    file = folder / "channel.obj"
    file.write_text("\n".join([*lines, *extra]))
    return str(file)


def fixed(file, **more):
    return {"shape": {"type": "mesh", "file": file, **more}, "fixed": True, "friction": 0.5}


def ball(z):
    return {"shape": {"type": "sphere", "radius": 0.08}, "base_position": [0.0, 0.0, z]}


def load(bodies, **more):
    scene = {
        "simulation": {"duration": 0.5},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": bodies,
    }
    return assemble(scene_from_dict({**scene, **more}))


def rest(sim):
    """Return the height of the first body after half a second."""
    for _ in range(500):
        sim.step()
    return float(sim.q[2])


def test_a_mesh_that_is_not_convex_is_told_and_touched_as_its_hull(tmp_path):
    """The ball lies on the rims' plane, 0.2 m high, though the channel is open there."""
    with pytest.warns(
        RobotWarning, match=r"channel\.obj: mesh is not convex .*convex hull is used"
    ):
        sim = load({"ball": ball(0.285), "channel": fixed(channel(tmp_path))})
    assert rest(sim) == pytest.approx(0.28, abs=2e-4)


def test_many_meshes_that_are_not_convex_are_told_in_one_line(tmp_path):
    text, bodies = Path(channel(tmp_path)).read_text(), {"ball": ball(0.285)}
    for k in range(5):
        file = tmp_path / f"c{k}.obj"
        file.write_text(text)
        bodies[f"c{k}"] = fixed(str(file))
    for _ in range(2):  # also where the hulls are known by now
        with pytest.warns(RobotWarning) as told:
            load(bodies)
        assert len(told) == 1
        assert str(told[0].message).startswith("5 meshes are not closed or not convex: ")
        assert "c0.obj is not convex (fills " in str(told[0].message)


def test_its_triangles_as_they_are_are_hollow(tmp_path):
    """The ball lies on the floor of the channel, and nothing is told."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = load({"ball": ball(0.14), "channel": fixed(channel(tmp_path), use="triangles")})
    assert rest(sim) == pytest.approx(0.13, abs=2e-4)


def test_triangles_without_an_area_are_left_out_and_counted(tmp_path):
    middle = "v 0.0 -0.2 0.0"  # on the edge from the first corner to the second
    file = channel(tmp_path, [middle, "f 1 2 17", "f 2 17 1"])
    with pytest.warns(
        RobotWarning, match=r"channel\.obj: 2 of 30 triangles degenerate or given twice, left out"
    ):
        load({"ball": ball(0.14), "channel": fixed(file, use="triangles")})


def test_a_mesh_that_crosses_itself_is_told(tmp_path):
    """A tetrahedron about the floor of the channel: three of its sides cross the floor's two."""
    points = [(-0.05, -0.1, -0.02), (0.05, -0.12, -0.03), (0.0, 0.0, -0.02), (0.0, -0.07, 0.03)]
    extra = [f"v {x} {y} {z}" for x, y, z in points]
    extra += ["f 17 19 18", "f 17 18 20", "f 18 19 20", "f 19 17 20"]
    with pytest.warns(RobotWarning, match=r"channel/object: .*obj crosses itself in \d+ pairs of"):
        load({"ball": ball(0.14), "channel": fixed(channel(tmp_path, extra), use="triangles")})


def test_two_bodies_of_triangles_are_told(tmp_path):
    file = channel(tmp_path)
    moving = {key: value for key, value in fixed(file, use="triangles").items() if key != "fixed"}
    place = [0.02, 0.013, 0.205]  # not along the rims, where equal walls meet edge on
    bodies = {"boat": {**moving, "base_position": place}, "channel": fixed(file)}
    with pytest.warns(RobotWarning, match="not convex") as caught:
        load(bodies)
    assert not any("triangle meshes" in str(w.message) for w in caught)
    bodies["channel"] = fixed(file, use="triangles")
    with pytest.warns(RobotWarning, match="boat and channel touch with triangle meshes"):
        sim = load(bodies)
    assert rest(sim) == pytest.approx(0.2, abs=1e-3)


SIZES = {
    '<box size="0.1 0 0.1"/>': ": collision has no size; left out",
    '<sphere radius="0"/>': ": collision has no size; left out",
    '<cylinder radius="0.1" length="-1"/>': ": <collision> sizes of <cylinder> must be positive",
}


@pytest.mark.parametrize("shape", SIZES)
def test_a_shape_of_a_robot_without_a_size_is_told_or_refused_with_its_link(shape, tmp_path):
    inertial = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    (tmp_path / "arm.urdf").write_text(
        f'<robot name="arm"><link name="link"><inertial>{inertial}</inertial>'
        f"<collision><geometry>{shape}</geometry></collision></link></robot>"
    )
    with pytest.raises((FootfallError, RobotWarning)) as raised:
        load({"arm": {"robot": str(tmp_path / "arm.urdf"), "friction": 0.5}, "ball": ball(5.0)})
    assert f'link "link"{SIZES[shape]}' in str(raised.value)
    assert "\n" not in str(raised.value)


FILTERS = {
    "a body": ({"ignore": [["bal", "box"]]}, "no collision shape 'bal', did you mean 'ball'"),
    "a link": (
        {"ignore": [["ball/body", "box"]]},
        "no collision shape 'ball/body', did you mean 'ball/object'",
    ),
    "a pattern": ({"keep": [["b*", "wall_*"]]}, r"no collision shape 'wall_\*'"),
    "the ground": (
        {"ignore": [["terrain", "box"]]},
        r'collisions\.ignore\[0\]: no shape of "box" touches "terrain": .*ground = "shapes"',
    ),
    "itself": ({"self_collision": ["balls"]}, "self_collision: no body 'balls'.*'ball'"),
}


@pytest.mark.parametrize("name", first(*FILTERS, runs=2))
def test_a_filter_that_means_nothing_is_refused_with_what_there_is(name):
    collisions, expected = FILTERS[name]
    box = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "friction": 0.5}
    with pytest.raises(FootfallError) as raised:
        load({"ball": ball(1.0), "box": box}, collisions=collisions)
    assert re.search(expected, str(raised.value)), raised.value
    assert str(raised.value).startswith("collisions")
    assert "\n" not in str(raised.value)


def test_a_start_of_many_pairs_in_each_other_names_the_deepest_and_counts_the_rest():
    box = {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "friction": 0.5}
    heights = [1.0 + 0.19 * k - 0.002 * k * k for k in range(9)]
    deep = {f"b{k}": {**box, "base_position": [0.0, 0.0, z]} for k, z in enumerate(heights)}
    told = r"b7/object/box\d+ and b8/object/box\d+ by 40 mm.* and \d+ more pairs"
    with pytest.warns(UserWarning, match=told):
        load(deep)

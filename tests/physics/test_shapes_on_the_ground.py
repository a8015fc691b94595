"""Shapes touch the ground by collision detection, where a scene asks for it."""

import re

import numpy as np
import pytest
from tests.robots.sample_urdf import INERTIAL, joint, link, write

from footfall import assemble, scene_from_dict
from footfall.errors import RobotWarning, SceneError
from footfall_meshcat.drawing.payload import View, scene_payload
from footfall_watch.deep_starts import DeepStartWarning

G, MU = 9.81, 0.5
BOX = {"type": "box", "size": [0.2, 0.2, 0.2]}
PLANE = {"plugin": "plane", "friction": MU}
RIDGE = {
    "plugin": "steps",
    "friction": MU,
    "boxes": [{"position": [0.0, 0.0, 0.0], "size": [0.05, 1.0, 0.1]}],
}
"""A wall of 5 cm, 10 cm high, along y."""


def load(bodies, terrain=PLANE, ground="shapes", **more):
    collisions = {"ground": ground, **more.pop("collisions", {})}
    return assemble(
        scene_from_dict(
            {
                "simulation": {"duration": 0.1},
                "world": {"terrain": terrain},
                "bodies": bodies,
                "collisions": collisions,
                **more,
            }
        )
    )


def box(z=0.1, x=0.0, **more):
    return {"shape": BOX, "base_position": [x, 0.0, z], **more}


def run(sim, n):
    for _ in range(n):
        sim.step()
    return sim


def test_a_box_has_one_set_of_contacts_whichever_way_it_touches_the_ground():
    for ground, declared in (("points", 8), ("shapes", 0)):
        sim = run(load({"a": box()}, ground=ground), 20)
        assert sim.world.n_contacts == declared
        assert sim.stepper.collisions.count == (0 if declared else 4)
        on_points = sim.signal("contact_force")[:, 2].sum() if declared else 0.0
        on_shape = sim.signal("collision_wrench")[0, 2]
        assert on_points + on_shape == pytest.approx(8.0 * G, abs=1e-6)


@pytest.mark.parametrize("normal", [[0.0, 0.0, 1.0], [0.3, -0.2, 1.0], [0.0, 1.0, 0.0]])
def test_a_box_slides_on_a_plane_as_far_as_with_points(normal):
    """Flat on it and moved along it; against gravity straight into it."""
    n = np.array(normal) / np.linalg.norm(normal)
    paths = []
    for ground in ("points", "shapes"):
        pitch, roll = np.arctan2(n[0], n[2]), -np.arcsin(n[1])
        body = box(
            base_position=(0.1 * n).tolist(),
            base_orientation=[roll, pitch, 0.0],
            base_linear_velocity=np.cross(n, [0.8, 0.3, 0.1]).tolist(),
        )
        terrain = {**PLANE, "normal": normal}
        world = {"terrain": terrain, "gravity": (-G * n).tolist()}
        sim = run(load({"a": body}, terrain, ground, world=world), 200)
        paths.append(sim.q.copy())
    np.testing.assert_allclose(*paths, atol=1e-8)


def test_the_edge_of_a_wall_carries_a_box_between_its_corners():
    """With points the corners pass it on both sides, and the box goes down to the floor."""
    ways = ("points", "shapes", "auto")
    heights = [run(load({"a": box(0.2)}, RIDGE, way), 600).q[2] for way in ways]
    assert heights == pytest.approx([0.1, 0.2, 0.2], abs=1e-4)


def prism(path, n, radius=0.1, width=0.05):
    """Write a prism over a regular polygon, along y, about the origin."""
    around = 2.0 * np.pi * np.arange(n) / n
    ring = radius * np.stack([np.cos(around), 0.0 * around, np.sin(around)], axis=1)
    side = [(k, n + k, n + (k + 1) % n, (k + 1) % n) for k in range(n)]
    faces, half = [*side, range(n), range(2 * n - 1, n - 1, -1)], np.array([0.0, width / 2, 0.0])
    corners = np.concatenate([ring - half, ring + half])
    lines = ["v {} {} {}\n".format(*corner) for corner in corners]
    lines += ["f " + " ".join(str(k + 1) for k in face) + "\n" for face in faces]
    path.write_text("".join(lines))
    return {"type": "mesh", "file": str(path)}


def polygon_roll(n, radius, speed, duration):
    """Distance of a rigid uniform n-gon that rolls, from a corner below its middle on.

    It turns about its lowest corner, and at each new corner keeps its angular momentum about that:
    the rate is multiplied by ``(I_c + m r^2 cos a) / (I_c + m r^2)``, a the angle of a side.
    """
    a, m, g = 2.0 * np.pi / n, 1.0, G
    own = radius**2 * (2.0 + np.cos(a)) / 6.0
    about = own + radius**2
    rate, angle, x, dt = speed / radius, 0.0, 0.0, 1e-5
    for _ in range(round(duration / dt)):
        rate += dt * m * g * radius * np.sin(angle) / about
        before, angle = angle, angle + dt * rate
        x += radius * (np.sin(angle) - np.sin(before))
        if angle > a / 2:
            angle, rate = angle - a, rate * (own + radius**2 * np.cos(a)) / about
    return x


def test_a_fine_mesh_rolls_on_its_corners(tmp_path):
    """A 64-gon: of its corners 32 would be points, and the wheel would sink in by 2.7 mm."""
    rolling = {"base_linear_velocity": [1.0, 0.0, 0.0], "base_angular_velocity": [0.0, 10.0, 0.0]}
    shape = prism(tmp_path / "wheel.obj", 64)
    wheel = {"shape": shape, "mass": 1.0, "base_position": [0.0, 0.0, 0.1], **rolling}
    sim = load({"w": {**wheel, "friction": 0.8}, "b": box(x=3.0)}, ground="auto")
    assert sim.world.n_contacts == 8  # of the box on the plane, as before
    q = sim.q[sim.world.q_slice(sim.world.index("w"))]
    lowest = min([run(sim, 1).q[sim.world.q_slice(sim.world.index("w"))][2] for _ in range(1000)])
    assert lowest > 0.1 * np.cos(np.pi / 64) - 1e-5
    assert q[0] == pytest.approx(polygon_roll(64, 0.1, 1.0, 1.0), rel=1e-3)


def test_points_are_kept_where_they_miss_nothing(tmp_path):
    """Balls everywhere; robots; what the ground has no shapes for, with a warning."""
    ball, few = {"shape": {"type": "sphere", "radius": 0.1}}, prism(tmp_path / "few.obj", 16)
    kept = [(ball, RIDGE), ({"shape": few}, PLANE), ({"robot": "cube"}, RIDGE)]
    for body, terrain in kept:
        sim = load({"a": {**body, "base_position": [1.0, 0.0, 0.2]}}, terrain, "auto")
        assert sim.world.n_contacts > 0
    many = {"shape": prism(tmp_path / "many.obj", 17), "base_position": [0.0, 0.0, 0.2]}
    assert load({"a": many}, PLANE, "auto").world.n_contacts == 0
    with pytest.warns(RobotWarning, match="a: only 32 corners of a mesh touch the ground"):
        sim = load({"a": many}, {**PLANE, "patches": [{"friction": 0.1}]}, "auto")
    assert sim.world.n_contacts == 32


@pytest.mark.parametrize("ground", ["object", "terrain"])
def test_what_starts_below_a_height_field_is_pushed_up(ground, tmp_path):
    """A slope of 1 in 10: a ball ends at its radius from it, a box with its face on it."""
    np.save(tmp_path / "slope.npy", np.tile(np.linspace(-0.1, 0.1, 10)[:, None], (1, 10)))
    field = {"file": str(tmp_path / "slope.npy"), "size": [2.0, 2.0]}
    shape = BOX if ground == "terrain" else {"type": "sphere", "radius": 0.1}
    bodies = {"a": {"shape": shape, "base_position": [0.02, 0.03, -0.2], "friction": 2.0}}
    terrain = {"plugin": "heightmap", **field, "friction": 2.0}
    if ground == "object":
        of_field = {"shape": {"type": "heightfield", **field}, "fixed": True, "friction": 2.0}
        bodies, terrain = {**bodies, "field": of_field}, {**PLANE, "offset": -1.0}
    world = {"terrain": terrain, "gravity": [0.1 * G, 0.0, -G]}  # straight into the slope
    with pytest.warns(DeepStartWarning):
        sim = load(bodies, terrain, "auto", world=world)
    x, _, z = run(sim, 1500).q[:3]
    assert (z - 0.1 * x) / np.hypot(1.0, 0.1) == pytest.approx(0.1, abs=1e-3)


def test_a_box_lies_on_the_ridge_of_a_height_map(tmp_path):
    """A grid of 10 cm whose middle line is 5 cm high: straight flanks, exact in triangles."""
    grid = np.zeros((21, 21))
    grid[10] = 0.05
    np.save(tmp_path / "ridge.npy", grid)
    terrain = {"plugin": "heightmap", "file": str(tmp_path / "ridge.npy"), "size": [2.0, 2.0]}
    sim = run(load({"a": box(0.15)}, {**terrain, "friction": MU}), 300)
    assert sim.q[2] == pytest.approx(0.15, abs=1e-4)
    assert np.abs(sim.v).max() < 1e-3


def test_a_height_field_is_an_object_too(tmp_path):
    """The same ridge, turned by a right angle and put on a floor, as a fixed object."""
    grid = np.zeros((21, 21))
    grid[10] = 0.25
    np.save(tmp_path / "ridge.npy", grid)
    shape = {"type": "heightfield", "file": str(tmp_path / "ridge.npy"), "size": [2.0, 2.0]}
    field = {"shape": {**shape, "height": 0.2}, "fixed": True, "friction": MU}
    place = {"base_position": [0.0, 0.0, 0.3], "base_orientation": [0.0, 0.0, np.pi / 2]}
    long = {"type": "box", "size": [0.2, 0.6, 0.2]}
    bodies = {"a": {**box(0.45), "shape": long}, "field": {**field, **place}}
    sim = run(load(bodies, ground="points"), 300)
    assert sim.q[2] == pytest.approx(0.45, abs=1e-4)
    graph = sim.drawing().graph()
    assert [node.shape.kind for node in graph.nodes if node.name.startswith("field")] == [
        "heightfield",
        "heightfield",
    ]
    assert len(scene_payload(graph, View())) > 21 * 21


def test_a_link_with_declared_points_touches_with_those_alone_and_others_with_shapes(tmp_path):
    """An arm falls over a stand with one declared point: ball of the hand on the ground, once."""
    ball = '<collision><geometry><sphere radius="0.05"/></geometry></collision>'
    held = joint("wrist", "base", "hand", "fixed", '<origin xyz="0.5 0 0"/>')
    loose = joint("wrist", "base", "hand", inside='<origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>')
    loose = loose.replace("revolute", "continuous")
    points = (
        '[[contact_features]]\nframe = "base"\nkind = "sphere"\nradius = 0.05\nfriction = 0.5\n'
    )
    for turn, touching in ((held, {}), (loose, {"hand": 1})):
        write(tmp_path, link("base", INERTIAL + ball), link("hand", INERTIAL + ball), turn)
        (tmp_path / "robot.toml").write_text(f'[model]\nfile = "sample.urdf"\n{points}')
        arm = {"robot": str(tmp_path / "robot.toml"), "base_position": [0.0, 0.0, 0.06]}
        sim = run(load({"arm": arm}), 300)
        shapes = {s.number: s for s in sim.world.collider.shapes}
        found = sim.world.collider.detector.found
        links = [shapes[int(k)].name.split("/")[1] for k in found.geometry_b]
        assert {name: links.count(name) for name in links} == touching
        assert sim.world.n_contacts == 1


def test_bounces_and_pairs_are_those_of_the_ground_too():
    sphere = {"shape": {"type": "sphere", "radius": 0.1}, "base_position": [0.0, 0.0, 0.6]}
    terrain = {**PLANE, "restitution": 0.5}
    sim = load({"a": sphere}, terrain, impact={"plugin": "restitution"})
    heights = [run(sim, 1).q[2] for _ in range(700)]
    landing = int(np.sqrt(2.0 * 0.5 / G) / sim.time_step)
    assert max(heights[landing + 5 :]) == pytest.approx(0.1 + 0.25 * 0.5, rel=5e-3)
    slid = load(
        {"a": box(base_linear_velocity=[1.0, 0, 0])}, pairs={"a/terrain": {"friction": 0.1}}
    )
    run(slid, 100)
    assert slid.v[0] == pytest.approx(1.0 - 0.1 * G * 0.1, abs=1e-6)


def test_the_ground_can_be_left_out_of_pairs():
    ignored = load({"a": box()}, collisions={"ignore": [["terrain", "a"]]})
    assert run(ignored, 100).q[2] == pytest.approx(0.1 - 0.5 * G * 0.01, rel=0.02)


BAD = {
    "a moving ground": (
        {"plugin": "moving", "friction": MU},
        {},
        "collisions.ground: .*moving has",
    ),
    "patches": ({**PLANE, "patches": [{"friction": 0.1}]}, {}, "has none here"),
    "no friction": ({"plugin": "plane"}, {}, "of a with terrain: .* world.terrain.friction"),
    "switched off": (PLANE, {"detect": False}, "ground has no effect with detect = false"),
    "not a way": (PLANE, {"ground": "mesh"}, "collisions.ground: .*points.*shapes"),
}


@pytest.mark.parametrize("name", BAD)
def test_grounds_that_have_no_shapes_are_refused_in_one_line(name):
    terrain, collisions, expected = BAD[name]
    with pytest.raises(SceneError) as raised:
        load({"a": box()}, terrain, collisions=collisions)
    assert re.search(expected, str(raised.value)), raised.value
    assert "\n" not in str(raised.value)


BAD_FIELDS = {
    "it moves": ({"fixed": False}, {}, "a heightfield never moves: it needs fixed = true"),
    "no file": ({}, {"file": "no.npy"}, "shape.file: must be a file that exists"),
    "no width": ({}, {"size": [1.0, 0.0]}, r"shape.size\[1\]: must be >= 1e-09"),
    "no grid": ({}, {"file": "row.csv"}, "field/object: .*row.csv.*2 x 2"),
}


@pytest.mark.parametrize("name", BAD_FIELDS)
def test_bad_height_fields_are_refused_in_one_line(name, tmp_path):
    more, shape, expected = BAD_FIELDS[name]
    np.save(tmp_path / "flat.npy", np.zeros((3, 3)))
    (tmp_path / "row.csv").write_text("1,2,3\n")
    given = {"type": "heightfield", "file": "flat.npy", "size": [1.0, 1.0], **shape}
    given["file"] = str(tmp_path / given["file"])
    field = {"shape": given, "fixed": True, "friction": MU, **more}
    with pytest.raises(Exception, match=expected) as raised:
        load({"a": box(), "field": field}, ground="points")
    assert "\n" not in str(raised.value)

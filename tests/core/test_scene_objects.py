"""Objects in scenes: shapes without a model file, copies, fixed ones, filters, bad input."""

import re

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall import assemble, scene_from_dict
from footfall.errors import SceneError
from footfall.geometry.shapes import Shape
from footfall.interfaces.contact import Need
from footfall.interfaces.plugin import Capability
from footfall.model.objects import make_object
from footfall.scene.resolved import resolved
from footfall_meshcat.recorded.motion import recorded_motion
from footfall_watch.deep_starts import DeepStartWarning, deep_starts

BOX = {"type": "box", "size": [0.2, 0.2, 0.2]}


def tables(bodies, **more):
    """Return the tables of a scene of 0.1 s on a rough plane."""
    return {
        "simulation": {"duration": 0.1},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": bodies,
        **more,
    }


def box(z=0.1, **more):
    """Return the table of a box above the origin."""
    return {"shape": BOX, "friction": 0.5, "base_position": [0.0, 0.0, z], **more}


def load(bodies, **more):
    """Return a simulator of a scene."""
    return assemble(scene_from_dict(tables(bodies, **more)))


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("box", (0.2, 0.4, 0.6)),
        ("sphere", (0.3,)),
        ("cylinder", (0.2, 0.7)),
        ("capsule", (0.2, 0.5)),
    ],
)
def test_mass_and_inertia_of_a_shape_equal_those_of_its_points(kind, size):
    """Against a sum over 4e6 points spread evenly over its bounds."""
    model = make_object(Shape(kind, size), density=800.0).rigid_body()
    half = np.array(
        {"box": [s / 2 for s in size], "sphere": [size[0]] * 3}.get(
            kind, [size[0], size[0], size[-1] / 2 + size[0] * (kind == "capsule")]
        )
    )
    n = 160
    axis = (np.arange(n) + 0.5) / n * 2.0 - 1.0
    x, y, z = (h * a for h, a in zip(half, np.meshgrid(axis, axis, axis), strict=True))
    if kind == "box":
        inside = np.ones_like(x, bool)
    elif kind == "cylinder":
        inside = x**2 + y**2 <= size[0] ** 2
    else:
        over = np.abs(z) - (size[1] / 2 if kind == "capsule" else 0.0)
        inside = x**2 + y**2 + np.maximum(over, 0.0) ** 2 <= size[0] ** 2
    cell = 800.0 * np.prod(2.0 * half / n)
    assert model.link_mass[0] == pytest.approx(inside.sum() * cell, rel=2e-3)
    moments = [((a**2 + b**2)[inside]).sum() * cell for a, b in ((y, z), (x, z), (x, y))]
    np.testing.assert_allclose(np.diag(model.link_inertia[0]), moments, rtol=4e-3)


@each("offset, tips", [(0.09, False), (0.11, True)])
def test_a_box_tips_over_whose_centre_of_mass_is_beyond_its_edge(offset, tips):
    sim = load({"box": box(center_of_mass=[offset, 0.0, 0.05])})
    model = make_object(Shape("box", (0.2,) * 3), center_of_mass=(offset, 0, 0.05)).rigid_body()
    np.testing.assert_array_equal(model.link_com[0], [offset, 0.0, 0.05])
    sim.run(0.3)
    turned = abs(2.0 * sim.q[4])  # about y
    assert turned > 0.02 if tips else turned < 1e-4


def test_a_box_rests_on_a_fixed_one_and_pushes_it_with_its_weight():
    table = {"shape": {"type": "box", "size": [1, 1, 0.4]}, "fixed": True, "friction": 0.8}
    sim = load({"box": box(0.5), "table": {**table, "base_position": [0, 0, 0.2]}})
    assert [body.name for body in sim.world.bodies] == ["box"]
    for _ in range(100):
        sim.step()
    np.testing.assert_allclose(sim.q[:3], [0, 0, 0.5], atol=2e-5)
    rows = sim.stepper.collisions.rows(sim.time_step)
    assert (rows["body_1"] == -1).all()
    np.testing.assert_allclose(rows["force"].sum(axis=0), [0, 0, 8.0 * 9.81], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        sim.signal("collision_wrench")[0, :3], [0, 0, 8.0 * 9.81], rtol=1e-6, atol=1e-6
    )


def test_a_fixed_object_is_drawn_where_it_is():
    fixed = {"shape": BOX, "fixed": True, "base_position": [1.0, 2.0, 3.0], "friction": 0.5}
    sim = load({"box": box(), "wall": {**fixed, "color": [1.0, 0.0, 0.0]}})
    drawing = sim.drawing()
    drawing.place(0.0)
    graph, poses = drawing.graph(), drawing.poses
    node, touched = [n for n in graph.nodes if n.name.startswith("wall")]
    assert graph.n_links == len(poses)
    np.testing.assert_array_equal(poses[node.link], [0, 0, 0, 0, 0, 0, 1])
    np.testing.assert_array_equal(node.translation, [1, 2, 3])
    assert node.color == (1.0, 0.0, 0.0, 1.0)
    assert (node.layer, touched.layer) == ("visual", "collision")
    np.testing.assert_array_equal(touched.translation, [1, 2, 3])
    assert graph.links == ("box/object", "")


def test_copies_stand_in_a_grid_and_the_resolved_scene_is_the_same():
    scene = scene_from_dict(
        tables({"b": box(copies=[3, 2, 2], spacing=[0.5, 0.6, 0.7], base_position=[1, 1, 0.1])})
    )
    names = list(scene.bodies)
    assert names == [f"b_{k}" for k in range(12)]
    assert scene.bodies["b_5"].base_position == pytest.approx((2.0, 1.6, 0.1))
    assert scene.bodies["b_6"].base_position == pytest.approx((1.0, 1.0, 0.8))
    again = scene_from_dict(resolved(scene)["scene"])
    assert again.bodies == scene.bodies
    assert again.collisions == scene.collisions


def test_contacts_are_looked_for_only_where_there_are_shapes_or_it_is_asked_for():
    robots = {"a": {"robot": "cube"}, "b": {"robot": "cube", "base_position": [0, 0, 0.15]}}
    assert load(robots).stepper.collisions is None
    assert load({"a": box()}).stepper.collisions is not None
    assert load({"a": box()}, collisions={"detect": False}).stepper.collisions is None
    sim = load(robots, collisions={"detect": True})
    for _ in range(200):
        sim.step()
    np.testing.assert_allclose(sim.q[[2, 9]], [0.05, 0.15], atol=5e-5)


def test_a_pair_that_is_ignored_does_not_touch():
    falling = {"a": box(0.1), "b": box(0.35)}
    through = load(falling, collisions={"ignore": [["a", "b"]]})
    for _ in range(300):
        through.step()
    assert through.q[9] == pytest.approx(0.1, abs=1e-4)


def test_a_deep_start_is_told_and_resolved_slowly():
    bodies = {"low": box(0.1), "high": box(0.27)}
    with pytest.warns(DeepStartWarning, match=r"low/object/box\d+ and high/object/box\d+ by 30 mm"):
        sim = load(bodies)
    ((_, _, depth),) = deep_starts(sim)
    assert depth == pytest.approx(0.03, abs=1e-9)
    fastest = 0.0
    for _ in range(600):
        before = sim.q[9]
        sim.step()
        fastest = max(fastest, np.abs(sim.v).max(), (sim.q[9] - before) / sim.time_step)
    assert fastest < 0.5
    np.testing.assert_allclose(sim.q[[2, 9]], [0.1, 0.3], atol=5e-5)


def test_a_pair_that_never_touches_needs_no_friction():
    bodies = {"a": box(), "b": box(0.101)}
    for body in bodies.values():
        body.pop("friction")
    sim = load(bodies, collisions={"ignore": [["a", "b"]]})
    for _ in range(200):
        sim.step()
    assert sim.stepper.collisions.count == 0


BAD = {
    "a filter that names nothing": (
        {"a": box(), "b": box(0.4)},
        {"collisions": {"ignore": [["a", "bb"]]}},
        "collisions: .*no collision shape 'bb', did you mean 'b'",
    ),
    "no friction": (
        {"a": box(friction=None), "b": box(0.4, friction=None)},
        {},
        "bodies.a: no coefficient of friction of a with b: give bodies.a.friction",
    ),
    "shape and robot": ({"a": box(robot="cube")}, {}, "needs either robot or shape, got both"),
    "a size of zero": (
        {"a": {"shape": {"type": "sphere", "radius": 0.0}}},
        {},
        "bodies.a.shape.radius: must be >= 1e-09",
    ),
    "mass and density": ({"a": box(mass=1.0, density=1.0)}, {}, "mass and density"),
    "a moving fixed object": (
        {"a": box(), "b": box(0.5, fixed=True, base_linear_velocity=[1, 0, 0])},
        {},
        "base_linear_velocity has no effect on a fixed object",
    ),
    "joints of a box": ({"a": box(joint_positions={"x": 1.0})}, {}, "joint_positions has no effe"),
    "mass of a robot": ({"a": {"robot": "cube", "mass": 2.0}}, {}, "mass has no effect on a robot"),
    "nothing moves": ({"a": box(fixed=True)}, {}, "nothing moves"),
    "fixed without detection": (
        {"a": box(), "b": box(0.5, fixed=True)},
        {"collisions": {"detect": False}},
        "bodies.b.fixed: has no effect",
    ),
    "settings without detection": (
        {"a": box()},
        {"collisions": {"detect": False, "margin": 0.1}},
        "margin has no effect with detect = false",
    ),
    "copies without spacing": (
        {"a": box(copies=[2, 1, 1])},
        {},
        "bodies.a.copies: copies and spacing go together",
    ),
    "copies in one place": (
        {"a": box(copies=[2, 3, 1], spacing=[0.5, 0.0, 0.0])},
        {},
        "bodies.a.spacing: must not be 0 along y, where there are 3 copies",
    ),
    "a pair of bodies that pass through each other": (
        {"a": {"robot": "cube"}, "b": {"robot": "box"}},
        {"pairs": {"a/b": {"friction": 0.5}}},
        "has no effect: bodies touch only the terrain",
    ),
    "self-collision of nobody": (
        {"a": box()},
        {"collisions": {"self_collision": ["robot"]}},
        "collisions: .*no body 'robot'",
    ),
    "a law of accelerations": (
        {"a": box()},
        {"contact": {"plugin": "gauss"}},
        'contact "gauss" needs flat surfaces, .*or take bisection, .*coulomb',
    ),
    "continuous time": (
        {"a": box()},
        {"contact": {"plugin": "compliant"}, "integrator": {"plugin": "rk4"}},
        'integrator "rk4" does not support contacts between bodies .*semi_implicit_euler',
    ),
}


@each("name", BAD)
def test_a_bad_scene_is_refused_in_one_line(name):
    bodies, more, expected = BAD[name]
    bodies = {n: {k: v for k, v in table.items() if v is not None} for n, table in bodies.items()}
    with pytest.raises(SceneError) as raised:
        load(bodies, **more)
    assert re.search(expected, str(raised.value)), raised.value
    assert "\n" not in str(raised.value)


def test_a_pair_table_gives_what_the_sides_do_not():
    bodies = {"a": box(), "b": box(0.3)}
    for body in bodies.values():
        body.pop("friction")
    sim = load(bodies, pairs={"a/b": {"friction": 0.3}})
    assert (sim.world.detected.friction[: sim.stepper.collisions.count] == 0.3).all()


def laws_that_do():
    """Names of the laws that declare several bodies and need no accelerations."""
    laws = footfall.discover().contact.loadable()
    return [
        name
        for name, law in laws
        if Capability.SEVERAL_BODIES in law.capabilities and Need.JDOT_V not in law.needs
    ]


def test_there_are_laws_that_do():
    assert {"coulomb", "compliant", "lcp", "ccp", "regularized"} <= set(laws_that_do())


@pytest.mark.parametrize("law", laws_that_do())
def test_every_law_for_several_bodies_holds_a_box_on_a_box(law):
    sim = load({"a": box(0.1), "b": box(0.3)}, contact={"plugin": law})
    impulse = 0.0
    for _ in range(300):
        sim.step()
        impulse += sim.time_step * sim.signal("collision_wrench")[1, 2]
    height = sim.q[[2, 9]] - [0.1, 0.3]
    assert np.abs(height).max() < 3.0 * sim.stepper.law.rest_depth(8.0 * 9.81) + 1e-4
    assert impulse == pytest.approx(8.0 * (sim.v[8] + 9.81 * 0.3), rel=1e-9)


def test_forces_between_bodies_are_shown_live_and_played_back(tmp_path):
    sim = load({"a": box(0.1), "b": box(0.3)})
    for _ in range(50):
        sim.step()
    drawing = sim.drawing()
    drawing.update(sim.time)
    assert len(drawing.force) == drawing.graph().n_contacts
    weight = 8.0 * 9.81
    np.testing.assert_allclose(drawing.force.sum(axis=0), [0, 0, 3 * weight], atol=1e-4)
    on_other = drawing.between[:4]  # the lower box, first of the scene, bears the upper one
    np.testing.assert_allclose(on_other[:, :3], np.tile([0, 0, 1], (4, 1)), atol=1e-6)
    np.testing.assert_array_equal(on_other[:, 3:], np.tile([0.5, 1, 0, 1], (4, 1)))
    sim.record(0.05, tmp_path / "run.zarr")
    graph, motion = recorded_motion(tmp_path / "run.zarr", footfall.discover())
    assert motion.contact_force.shape[1] == graph.n_contacts
    np.testing.assert_allclose(motion.contact_force[-1].sum(axis=0)[2], 3 * weight, atol=1e-4)
    np.testing.assert_allclose(motion.between[-1], on_other, atol=1e-6)

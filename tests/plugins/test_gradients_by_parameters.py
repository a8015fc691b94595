"""Derivatives by gains that a drive cuts, keys of scenes elsewhere, and values at an end."""

from xml.etree import ElementTree

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.differences import Differences
from tests.plugins.gradient_scenes import (
    BOX,
    CASES,
    CORRECTED,
    DEEP,
    ROBOTS,
    STAND,
    TIGHT,
    Case,
    world,
)
from tests.plugins.test_gradients import MOTOR, MOTORS, PRESSED, at, refused
from tests.plugins.test_gradients_of_shared_loads import GRID, sole

import footfall
from footfall_gradients.parameters import assembled


def arm(stiffness, target, angle):
    """Return an arm with a torque limit of 5 N m after a step; its first gain is a parameter."""
    table = {
        "robot": "rrbot",
        "joint_positions": {"joint1": 0.3, "joint2": 0.2},
        "actuators": [{"joints": ["*"], "torque_limit": 5.0}],
        "controller": {
            "plugin": "posture",
            "stiffness": {"joint1": stiffness, "joint2": 10.0},
            "damping": {"joint1": 1.0, "joint2": 1.0},
            "target": {"joint1": target, "joint2": 0.2},
        },
    }
    sim = footfall.assemble(footfall.scene_from_dict({"bodies": {"arm": table}}))
    sim.q[0] = angle
    return sim


CUT = ((0.31, 0.32, False), (0.31, 1.5, True), (1.5, 1.49, False), (1.5, 0.3, True))
"""Target and angle of a joint that starts at 0.3 rad, and whether its torque is cut then."""


def test_gains_act_while_their_drive_does_not_cut_the_torque():
    key = "bodies.arm.controller.stiffness.joint1"
    for target, angle, cut in CUT:
        rollout = footfall.Rollout(arm(100.0, target, angle), 1, parameters=[key])
        ends = [footfall.Rollout(arm(100.0 + s, target, angle), 1).v[-1] for s in (1e-2, -1e-2)]
        expected = (ends[0] - ends[1]) / 2e-2
        assert (abs(expected) > 0.0).any() != cut
        forward = np.split(rollout.jacobians().parameters[0, :, 0], 2)[1]
        back = [rollout.vjp(np.zeros(2), axis).parameters[0] for axis in np.eye(2)]
        np.testing.assert_allclose(forward, expected, atol=1e-9)
        np.testing.assert_allclose(back, expected, atol=1e-9)


def test_a_gain_that_its_drive_always_converts_is_refused():
    slow = {"joints": ["*"], "plugin": "second_order", "natural_frequency": 100.0}
    hold = {"plugin": "posture", "stiffness": 10.0, "damping": 1.0}
    changes = {"bodies.rrbot.actuators": [slow], "bodies.rrbot.controller": hold}
    refused(
        at("rrbot/swing", 1, **changes),
        "cuts or converts",
        parameters=["bodies.rrbot.controller.stiffness"],
    )


def test_parameters_of_a_scene_whose_robot_is_in_another_folder(tmp_path, monkeypatch):
    sole(tmp_path, GRID)  # writes the robot
    (tmp_path / "scenes").mkdir()
    text = (
        '[world.terrain]\nplugin = "plane"\nfriction = 0.5\n[bodies.b]\nrobot = "../robot.toml"\n'
    )
    text += "base_position = [0.0, 0.0, 0.05]\nbase_linear_velocity = [1.0, 0.0, 0.0]\n"
    (tmp_path / "scenes" / "one.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    sim = footfall.load("./scenes/one.toml")
    for _ in range(3):
        sim.step()
    slowed = sim.derivatives(parameters=["world.terrain.friction"]).dv_dp[0, 0]
    assert slowed < -0.5 * 9.81 * sim.time_step


@each(
    "key, scene, speed",
    [
        ("bodies.cube.friction", "cube/sliding", [1.0, 0.0, 0.0, 0.0, 0.0, 5.0]),
        ("bodies.cube.friction", "cube/sliding", np.zeros(6)),
        ("world.terrain.friction", "cube/sliding", [0.5, 0.2, 0.0, 0.0, 0.0, 0.0]),
        (f"{MOTORS}.0.viscous_friction", "rrbot/swing", [0.4, -0.7]),
    ],
)
def test_a_parameter_at_the_end_of_its_range_is_differentiated_from_inside(key, scene, speed):
    motors = {MOTORS: [{**MOTOR, "viscous_friction": 0.0}]} if MOTORS in key else {key: 0.0}
    sim, ends = at(scene, 30, PRESSED, **motors), []
    sim.v[:] = speed
    start, tables = (sim.q.copy(), sim.v.copy()), sim.provenance.resolved["scene"]
    sim.step()
    with pytest.warns(UserWarning, match=f"{key} = 0 is at the end of its range: one-sided"):
        found = sim.derivatives(parameters=(key,)).parameters[:, 0]
    for value in (0.0, 1e-6, 2e-6):
        other = assembled(sim, tables, key, value)
        other.q[:], other.v[:] = start
        other.step()
        ends.append(np.concatenate([footfall.difference(sim, sim.q, other.q), other.v - sim.v]))
    expected = (4.0 * ends[1] - 3.0 * ends[0] - ends[2]) / 2e-6
    assert np.abs(found - expected).max() < 1e-7


def test_a_friction_of_motors_that_appears_is_refused():
    sim = at("rrbot/swing", 1, **{MOTORS: [{**MOTOR, "coulomb_friction": 0.0}]})
    with pytest.warns(UserWarning, match="one-sided"):
        refused(sim, "set of joints with friction", parameters=(f"{MOTORS}.0.coulomb_friction",))


OFF_CENTRE = {**BOX, "center_of_mass": [0.02, -0.01, 0.0], "restitution": 0.3}
ALONE = {
    "simulation": {"time_step": 1e-3},
    "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
    "bodies": {"box": {**OFF_CENTRE, "base_position": [0.0, 0.0, 0.05]}},
}
CENTRES = {
    "slides": Case(ALONE, depth=PRESSED, v={0: 0.5, 5: 2.0}),
    "corrected": Case(ALONE, depth=CORRECTED, v={0: 0.2}, tilt=(0.3, 0.0, 0.2)),
    "flies": Case(ALONE, depth=-0.2, spread=3.0),
    "leaves": Case(ALONE, depth=DEEP, v={2: 1.0}, spread=3.0),
    "strikes": Case(ALONE, depth=-2e-4, v={0: 0.3, 2: -0.6}, tilt=(0.2, 0.1, 0.0), spread=0.3),
}


@each("name", CENTRES)
def test_centres_of_mass_of_objects_are_parameters(tmp_path, name):
    case = CENTRES[name]
    sim = case.load(tmp_path)
    step = Differences(sim, case)
    for k in range(3):
        key = f"bodies.box.center_of_mass.{k}"
        sim.state.restore(step.start)
        step.step(sim)
        found = sim.derivatives(parameters=[key, "bodies.box.mass"]).parameters
        sim.state.restore(step.start)
        slope = step.parameter(key, OFF_CENTRE["center_of_mass"][k])
        assert slope.miss(found[:, 0]) < 1e-6
        assert np.abs(found[:, 0]).max() > 1e-3
        sim.state.restore(step.start)
        back = footfall.Rollout(sim, 1, parameters=[key, "bodies.box.mass"])
        ones = np.ones(6)
        np.testing.assert_allclose(back.vjp(ones, ones).parameters, found.sum(axis=0), rtol=1e-12)


LINKS = {
    "biped stands": None,
    "biped flies": None,
    "biped strikes": None,
    "hopper slides at its stop": None,
    "arm on the ground": None,
    "a body flies": Case(world(STAND), "body", depth=-0.2, spread=9.0),
    "a body slides": Case(world(STAND), "body", depth=PRESSED, v={0: 0.4, 5: 1.0}),
    "a body leaves": Case(world(STAND), "body", depth=3e-3, v={2: 1.0}, spread=3.0),
}
"""Scenes of the kit, and of one body."""


def with_number(folder, link, number, change):
    """Return the simulator of a folder's scene with another number of a link in its robot's file.

    Args:
        folder: the folder.
        link: name of the link.
        number: as in the name of a parameter.
        change: what is added.
    """
    path, (name, *entry) = folder / "robot.urdf", number.split(".")
    text = path.read_text()
    tree = ElementTree.fromstring(text)
    own = tree.find(f"link[@name='{link}']/inertial")
    if name == "center_of_mass":
        place = [float(x) for x in own.find("origin").get("xyz").split()]
        place[int(entry[0])] += change
        own.find("origin").set("xyz", " ".join(map(repr, place)))
    else:
        key = "value" if name == "mass" else f"i{entry[0]}"
        own.find(name).set(key, repr(float(own.find(name).get(key)) + change))
    path.write_text(ElementTree.tostring(tree, "unicode"))
    sim = footfall.load(folder / "scene.toml", overrides=TIGHT)
    path.write_text(text)
    return sim


@pytest.mark.filterwarnings("ignore:contact points start inside")
@each("name", LINKS)
def test_masses_centres_and_inertias_of_links_are_parameters(tmp_path, monkeypatch, name):
    """Against differences of the robot's file."""
    monkeypatch.setitem(ROBOTS, "body", ("floating", [], [("base", "sphere")], {}))
    case = LINKS[name] or CASES[name]
    sim = case.load(tmp_path)
    start, nv = sim.state.copy(), sim.world.nv
    links = [one.removeprefix("it/") for one in sim.world.link_names]
    numbers = {"mass": 1e-3, "center_of_mass.1": 1e-4, "inertia.xx": 1e-5, "inertia.yz": 1e-5}
    asked = [(one, *number) for one in (links[0], links[-1]) for number in numbers.items()]
    asked = [each for each in asked if sim.world.topology.mass[links.index(each[0])] > 0.0]
    keys = [f"bodies.it.links.{one}.{number}" for one, number, _ in asked]
    sim.step()
    found = sim.derivatives(parameters=keys).parameters
    q, v = sim.q.copy(), sim.v.copy()
    size = np.repeat(abs(found.reshape(2, -1)).max(axis=1), nv)
    for k, (one, number, change) in enumerate(asked):
        ends = []
        for by in (change, -change, 0.5 * change, -0.5 * change):
            other = with_number(tmp_path, one, number, by)
            other.state.restore(start)
            other.step()
            ends.append(np.concatenate([footfall.difference(sim, q, other.q), other.v - v]))
        whole, half = ((ends[i] - ends[i + 1]) / (2.0 * change) * (1 + i // 2) for i in (0, 2))
        expected = (4.0 * half - whole) / 3.0
        scale = np.maximum(np.repeat(abs(expected.reshape(2, -1)).max(axis=1), nv), 1e-3 * size)
        assert (abs(found[:, k] - expected) / scale).max() < 1e-5, keys[k]
    sim.state.restore(start)
    back = footfall.Rollout(sim, 1, parameters=keys).vjp(*np.ones((2, nv))).parameters
    np.testing.assert_allclose(back, found.sum(axis=0), atol=1e-12 * abs(found).max())


def test_numbers_of_links_follow_the_scale_of_masses():
    """``m d/dm`` of all links and inertias adds up to that by ``mass_scale``."""
    sim = at("quadruped/standing", 50, PRESSED)
    sim.step()
    names, topology = sim.world.link_names, sim.world.topology
    total = np.zeros(2 * sim.world.nv)
    for i in np.flatnonzero(topology.mass):
        numbers = {"mass": topology.mass[i]}
        for m in ("xx", "xy", "xz", "yy", "yz", "zz"):
            a, b = ("xyz".index(axis) for axis in m)
            numbers[f"inertia.{m}"] = topology.inertia[i].reshape(3, 3)[a, b]
        body, link = names[i].split("/")
        keys = [f"bodies.{body}.links.{link}.{number}" for number in numbers]
        total += sim.derivatives(parameters=keys).parameters @ np.array([*numbers.values()])
    scaled = sim.derivatives(parameters=["bodies.quadruped.mass_scale"]).parameters[:, 0]
    np.testing.assert_allclose(total, scaled, atol=1e-8 * abs(scaled).max())


@each(
    "key, text",
    [
        ("bodies.rrbot.links.link3.mass", "no number of a link .links: world, link1, link2;"),
        ("bodies.rrbot.links.link1.length", "numbers: mass, center_of_mass.0"),
        ("bodies.rrbot.links.world.mass", "the link has no mass"),
    ],
)
def test_numbers_that_no_link_has_are_refused(key, text):
    refused(at("rrbot/swing", 1), text, parameters=[key])

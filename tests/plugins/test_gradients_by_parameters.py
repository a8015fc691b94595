"""Derivatives by gains that a drive cuts, keys of scenes elsewhere, and values at an end."""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.differences import Differences
from tests.plugins.gradient_scenes import BOX, CORRECTED, DEEP, Case
from tests.plugins.test_gradients import MOTOR, MOTORS, PRESSED, at, refused
from tests.plugins.test_gradients_of_shared_loads import GRID, sole

import footfall
from footfall_gradients.parameters import assembled, fault, numbers


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


def test_centres_of_mass_of_links_are_refused():
    sim = at("rrbot/swing", 1)
    slopes = {name: np.zeros((*a.shape, 1)) for name, a in numbers(sim).items()}
    slopes["com"][1] = 1.0
    assert "centres of mass of bodies that are not free" in fault(sim, slopes, 0, sim)

"""Derivatives by gains that a drive cuts, and by keys of scenes whose files are elsewhere."""

import numpy as np
import pytest
from tests.plugins.test_gradients_of_shared_loads import GRID, sole

import footfall
from footfall.errors import SimulationError


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


def test_gains_act_while_their_drive_does_not_cut_the_torque():
    key = "bodies.arm.controller.stiffness.joint1"
    for angle, cut in ((0.32, False), (1.5, True)):
        rollout = footfall.Rollout(arm(100.0, 0.31, angle), 1, parameters=[key])
        ends = [footfall.Rollout(arm(100.0 + s, 0.31, angle), 1).v[-1] for s in (1e-2, -1e-2)]
        expected = (ends[0] - ends[1]) / 2e-2
        assert (abs(expected) > 0.0).any() != cut
        forward = np.split(rollout.jacobians().parameters[0, :, 0], 2)[1]
        back = [rollout.vjp(np.zeros(2), axis).parameters[0] for axis in np.eye(2)]
        np.testing.assert_allclose(forward, expected, atol=1e-9)
        np.testing.assert_allclose(back, expected, atol=1e-9)
    sim = arm(100.0, 1.5, 1.49)
    sim.step()
    with pytest.raises(SimulationError, match="cuts or converts at the start"):
        sim.derivatives(parameters=[key])


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

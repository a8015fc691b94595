"""Scenes as Gymnasium environments: Gymnasium's own checks, starts, actions, observations."""

import numpy as np
import pytest

import footfall
from footfall.errors import SimulationError

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from footfall.interfaces.plugin import NoConfig  # noqa: E402
from footfall_gym import ENV_ID, PostureNoise, SceneEnv, TorqueAction  # noqa: E402
from footfall_standard.controller import Zero  # noqa: E402

IMU = {
    "plugin": "imu",
    "name": "imu",
    "frame": "rod",
    "noise": {"acceleration": 0.1},
    "delay": 0.004,
}
MEASURED = {
    "scene": "pendulum/swing",
    "overrides": {"bodies.pendulum.sensors": [IMU]},
    "bound": 2.0,
    "frame_skip": 5,
}
STANDING = {"scene": "humanoid/standing", "action": "posture", "frame_skip": 5}


def episode(env, steps, *, seed, **reset):
    """Return the observations of an episode whose actions depend on the step alone."""
    seen = [env.reset(seed=seed, **reset)[0]]
    n = env.action_space.shape[0]
    for k in range(steps):
        seen.append(env.step(0.1 * np.sin(0.3 * k + np.arange(n)))[0])
    return np.array(seen)


@pytest.mark.parametrize(
    "arguments",
    [
        STANDING,
        {"scene": "humanoid/standing", "layout": "dict", "randomize": PostureNoise(0.05, 0.1)},
        MEASURED,
    ],
    ids=["targets", "torques and a dict", "sensors"],
)
def test_the_checker_of_gymnasium_finds_nothing(arguments):
    """Warnings are errors: it warns of spaces, data that is shared, runs that do not repeat."""
    check_env(gymnasium.make(ENV_ID, **arguments).unwrapped)


def test_the_same_seed_gives_the_same_bits_whatever_was_before():
    arguments = MEASURED | {"randomize": PostureNoise(0.3, 1.0)}
    env = SceneEnv(**arguments)
    first = episode(env, 20, seed=3)
    other = episode(env, 20, seed=4)
    again, fresh = episode(env, 20, seed=3), episode(SceneEnv(**arguments), 20, seed=3)
    assert first.tobytes() == again.tobytes() == fresh.tobytes()
    assert not np.array_equal(first[0], other[0])
    assert not np.array_equal(first[1:, -3:], other[1:, -3:])


def test_gravity_and_contact_forces_are_those_of_the_simulator():
    observe = ["*/projected_gravity", "contact_force(l_foot, terrain)", "contact_force(r_foot)"]
    env = SceneEnv(**STANDING, observe=observe, layout="dict", randomize=PostureNoise(0.05))
    env.reset(seed=1)
    env.sim.q[3:7] = np.array([0.1, -0.2, 0.3, 0.9]) / np.sqrt(0.95)
    env.sim.observe_start()
    seen = env.step(np.zeros(30))[0]
    down = -env.sim.signals("humanoid").frame("pelvis").pose[2, :3]
    np.testing.assert_allclose(seen["humanoid/projected_gravity"], down, atol=1e-12)
    for name, pair in zip(observe[1:], (("l_foot", "terrain"), ("r_foot",)), strict=True):
        np.testing.assert_array_equal(seen[name], env.sim.contact_force(*pair).total)
    assert len(SceneEnv(**STANDING).observation_names) == 73
    with pytest.raises(SimulationError, match=r"^contact_force: .*'l_fot'"):
        SceneEnv(**STANDING, observe=["contact_force(l_fot)"])


def test_episodes_of_contact_repeat_bit_for_bit():
    arguments = STANDING | {"randomize": PostureNoise(0.05, 0.1)}
    env = SceneEnv(**arguments)
    first = episode(env, 20, seed=3)
    assert first.tobytes() == episode(env, 20, seed=3).tobytes()
    assert first.tobytes() == episode(SceneEnv(**arguments), 20, seed=3).tobytes()


def test_without_an_action_targets_give_the_motion_of_the_scene():
    env, sim = SceneEnv(**STANDING), footfall.load("humanoid/standing")
    env.reset(seed=0)
    for _ in range(10):
        env.step(np.zeros(30))
    for _ in range(50):
        sim.step()
    assert env.sim.state.vector.tobytes() == sim.state.vector.tobytes()


def test_an_action_of_one_is_the_whole_torque_of_each_joint():
    env = SceneEnv("rrbot/swing", bound={"joint1": 3.0, "joint2": 2.0})
    env.reset(seed=0)
    env.step(np.array([1.0, -7.0]))  # beyond -1 it is cut
    sim = footfall.load("rrbot/swing")
    for _ in range(10):
        sim.step(np.array([3.0, -2.0]))
    np.testing.assert_array_equal(env.sim.q, sim.q)


def test_torques_come_from_the_robot_and_joints_that_are_left_keep_their_controller():
    env = SceneEnv("humanoid/standing", joints=["*_knee"], frame_skip=1)
    assert env.action_names == ("l_knee", "r_knee")
    env.reset(seed=0)
    env.step(np.array([0.5, -1.0]))
    joints, body = env.sim.world.joints, env.sim.world.bodies[0].model
    at = [6 + body.joint_names.index(name) for name in env.action_names]
    limit = body.effort_limit[np.array(at) - 6]
    np.testing.assert_array_equal(joints.tau[at], limit * [0.5, -1.0])
    np.testing.assert_array_equal(joints.stiffness[at], 0.0)
    others = [k for k in range(6, 36) if k not in at]
    assert (joints.stiffness[others] > 0.0).all()
    assert not joints.tau[others].any()


def test_targets_reach_the_limits_of_the_joints():
    env = SceneEnv(**STANDING)
    model, joints = env.sim.world.bodies[0].model, env.sim.world.joints
    env.reset(seed=0)
    env.step(np.ones(30))
    np.testing.assert_allclose(joints.target[6:], model.position_upper, rtol=1e-12)
    env.step(-np.ones(30))
    np.testing.assert_allclose(joints.target[6:], model.position_lower, rtol=1e-12)


def test_an_episode_can_go_on_from_a_saved_state(tmp_path):
    sim = footfall.load("humanoid/standing")
    sim.record(0.1)
    sim.save(tmp_path / "stood.state")
    env = SceneEnv(**STANDING, duration=0.05, start=tmp_path / "stood.state")
    state, info = sim.state.copy(), env.reset(seed=1)[1]
    assert info["time"] == pytest.approx(0.1)
    ends = [env.step(np.zeros(30))[3] for _ in range(10)]
    assert ends == [False] * 9 + [True]
    for _ in range(50):
        sim.step()
    assert env.sim.state.vector.tobytes() == sim.state.vector.tobytes()
    plain = SceneEnv(**STANDING)
    seen = plain.reset(seed=1, options={"state": state})[0]
    np.testing.assert_array_equal(seen[:3], state["q"][:3])
    assert plain.reset(seed=1)[1]["time"] == 0.0
    with pytest.raises(SimulationError, match="is of another scene"):
        SceneEnv(**MEASURED, start=tmp_path / "stood.state")


def test_names_say_what_is_where():
    env = SceneEnv(**MEASURED, observe=["*/joint_*", "pendulum/imu/angular_velocity"])
    env.reset(seed=0)
    seen = dict(zip(env.observation_names, env.step(np.ones(1))[0], strict=True))
    assert list(seen) == [
        "pendulum/joint_positions/hinge",
        "pendulum/joint_velocities/hinge",
        *(f"pendulum/imu/angular_velocity/{axis}" for axis in "xyz"),
    ]
    assert seen["pendulum/joint_positions/hinge"] == env.sim.q[0]
    assert seen["pendulum/joint_velocities/hinge"] == env.sim.v[0]
    reading = env.sim.signal("sensor_imu_angular_velocity")
    assert [seen[f"pendulum/imu/angular_velocity/{axis}"] for axis in "xyz"] == list(reading)


def test_a_reading_that_is_no_number_is_seen_as_zero():
    sensor = {"plugin": "center_of_pressure", "name": "cop", "foot": "l_sole"}
    env = SceneEnv(
        "humanoid/standing",
        overrides={
            "bodies.humanoid.sensors": [sensor],
            "bodies.humanoid.base_position": [0.0, 0.0, 2.0],
        },
        observe=["*/cop/*"],
    )
    env.reset(seed=0)
    seen = env.step(np.zeros(30))[0]
    assert np.isnan(env.sim.signal("sensor_cop_position")).all()
    np.testing.assert_array_equal(seen, 0.0)


def test_reward_and_end_are_the_users():
    env = SceneEnv(
        "rrbot/swing",
        bound=5.0,
        reward=lambda sim, action: -float(action @ action) * sim.time,
        terminated=lambda sim: sim.time > 0.015,
    )
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(np.array([1.0, 2.0]))
    assert (reward, terminated, truncated) == (pytest.approx(-0.05), False, False)
    assert info["time"] == env.dt == pytest.approx(0.01)
    assert env.step(np.zeros(2))[2]


def test_a_random_posture_stands_as_high_over_the_ground_and_keeps_within_limits():
    env = SceneEnv(**STANDING, randomize=PostureNoise(0.5))
    model, sim = env.sim.world.bodies[0].model, env.sim
    sim.stepper.observe(0.0)
    before, height = sim.world.candidates.gap.min(), sim.q[2]
    for seed in range(5):
        env.reset(seed=seed)
        assert sim.world.candidates.gap.min() == pytest.approx(before, abs=1e-12)
        assert sim.q[2] != height
        assert (sim.q[7:] >= model.position_lower).all()
        assert (sim.q[7:] <= model.position_upper).all()


def test_episodes_of_a_controller_with_a_rate_repeat():
    """Held commands and those on their way are part of the state that a reset restores."""
    pace = {"bodies.humanoid.controller.rate": 100.0, "bodies.humanoid.controller.delay": 0.013}
    env = gymnasium.make(ENV_ID, **STANDING, overrides=pace)
    first, again = (episode(env, 7, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    plain = episode(gymnasium.make(ENV_ID, **STANDING), 7, seed=3)
    assert not np.array_equal(first, plain)


class Telling(Zero):
    """Notes how it is started."""

    def start(self, signals):
        self.height = float(signals.com[2])

    def figures(self, state):
        return (("height", f"{self.height:.1f}"),)


def test_a_steered_controller_is_started_and_tells_as_by_itself():
    inner = Telling(NoConfig())
    one = np.ones(1)
    steered = TorqueAction(inner, np.array([0]), -one, one)
    steered.start(footfall.load("humanoid/standing").signals("humanoid"))
    assert inner.height > 0.5
    assert steered.figures({}) == inner.figures({})

"""Scenes as vector environments of Stable-Baselines3; a policy as plain files; one that learns."""

import runpy
import subprocess
import sys
import tomllib
from importlib.util import find_spec

import numpy as np
import pytest
from tests.cases import each
from tests.meta.markdown_blocks import ROOT, write_files
from tests.plugins.policies import hopper

import footfall
from footfall.errors import FootfallError, PluginError

pytest.importorskip("gymnasium")
if find_spec("stable_baselines3") is None:  # imported by what uses it: every worker reads this file
    pytest.skip('needs the extra "sb3"', allow_module_level=True)

from footfall_gym import PostureNoise, SceneVectorEnv
from footfall_gym.policy_export import export_policy

OVERRIDES = {
    "simulation.time_step": 2e-3,
    "bodies.quadruped.controller.stiffness": 40.0,
    "bodies.quadruped.controller.damping": 1.0,
}
ONLY_STEP = {"simulation.time_step": OVERRIDES["simulation.time_step"]}
OBSERVE = ("*/base_*_velocity", "*/projected_gravity", "*/joint_*")
ACTING = {"scene": "quadruped/standing", "action": "posture", "randomize": PostureNoise(0.05)}
ACTING |= {"bound": 0.3, "observe": OBSERVE, "overrides": OVERRIDES}


def test_its_runs_are_those_of_the_vector_environment():
    """One run fails, the episodes of the others end with their duration."""
    from footfall_gym.sb3 import SceneVecEnv

    ours = SceneVecEnv(num_envs=3, duration=0.06, **ACTING)
    theirs = SceneVectorEnv(num_envs=3, duration=0.06, autoreset="same_step", **ACTING)
    ours.seed(5)
    np.testing.assert_array_equal(ours.reset(), theirs.reset(seed=5)[0])
    for k in range(3):
        if k == 1:
            ours.envs.batch.v[1, 0] = theirs.batch.v[1, 0] = 1e160
        actions = np.sin(k + np.arange(36.0)).reshape(3, 12)
        seen, reward, ended, infos = ours.step(actions)
        expected = theirs.step(actions)
        np.testing.assert_array_equal(seen, expected[0])
        np.testing.assert_array_equal(reward, expected[1])
        np.testing.assert_array_equal(ended, expected[2] | expected[3])
        for i in np.flatnonzero(ended):
            last = expected[4]["final_obs"][i]
            np.testing.assert_array_equal(infos[i].pop("terminal_observation"), last)
        if k == 1:
            assert ended.tolist() == [False, True, False]
            assert not infos[1]["TimeLimit.truncated"]
            assert infos[1]["failure"] == expected[4]["failure"][1]
    assert [bool(info) for info in infos] == ended.tolist() == [True, False, True]
    assert infos[0] == {"TimeLimit.truncated": True}
    ours.close()
    theirs.close()


def untrained(**more):
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize

    from footfall_gym.sb3 import SceneVecEnv

    envs = SceneVecEnv(num_envs=2, **{**ACTING, **more})
    scaled = VecNormalize(envs)
    return PPO("MlpPolicy", scaled, n_steps=8, batch_size=16, n_epochs=1, device="cpu"), envs.envs


def test_an_exported_policy_is_the_network_as_a_controller(tmp_path):
    model, envs = untrained()
    model.learn(16)  # gives the normalisation its numbers
    _, about = export_policy(model, envs, tmp_path / "walk")
    given = tomllib.loads(about.read_text())
    sim = footfall.load("quadruped/standing", OVERRIDES)
    sim.step()
    assert given["default"] == sim.driving.command("quadruped").target.tolist()
    assert (given["stiffness"], given["damping"]) == (12 * [40.0], 12 * [1.0])
    assert (given["rate"], given["activation"]) == (50.0, "tanh")
    assert given["action"] == {"scale": 12 * [0.3], "clip": 1.0}
    policy = {"plugin": "policy", "file": str(about)}
    sim = footfall.load("quadruped/standing", {**ONLY_STEP, "bodies.quadruped.controller": policy})
    sim.v[:] = np.random.default_rng(4).normal(size=18)
    q, v = sim.q.copy(), sim.v.copy()
    seen = {
        "base_linear_velocity": v[:3],  # the base is not turned
        "base_angular_velocity": v[3:6],
        "projected_gravity": [0.0, 0.0, -1.0],
        "joint_positions": q[7:],
        "joint_velocities": v[6:],
    }
    terms = [row["term"] for row in given["observation"]]
    names = [name.split("/")[1] for name in envs.observation_names]
    assert list(dict.fromkeys(names)) == terms
    raw = np.concatenate([seen[term] for term in terms])
    scaled = model.get_vec_normalize_env()
    scaled.clip_obs = np.inf  # an export leaves the clipping out
    action = model.predict(scaled.normalize_obs(raw), deterministic=True)[0]
    sim.step()
    target = sim.driving.command("quadruped").target - given["default"]
    np.testing.assert_allclose(target, 0.3 * action, atol=1e-5)  # float32
    assert np.abs(action).max() > 1e-3


@each(("action", "joints"), [("posture", None), ("torque", ["hip"])])
def test_a_planar_robot_and_some_of_its_joints_are_exported(tmp_path, action, joints):
    """The command of the controller is that of the environment, in a state that moves."""
    scene = str(hopper(tmp_path))
    still = {"bodies.hopper.controller": {"plugin": "zero"}} if joints else {}
    given = {"scene": scene, "bound": 0.3, "observe": ["*/joint_*"], "overrides": still}
    model, envs = untrained(**given, action=action, joints=joints)
    model.learn(16)
    _, about = export_policy(model, envs, tmp_path / "hop")
    sim = footfall.load(
        scene, {"bodies.hopper.controller": {"plugin": "policy", "file": str(about)}}
    )
    sim.q[:] += np.random.default_rng(4).normal(size=5)
    sim.v[:] = np.random.default_rng(5).normal(size=5)
    scaled = model.get_vec_normalize_env()
    scaled.clip_obs = np.inf
    seen = np.concatenate([sim.q, sim.v])
    actions = np.clip(model.predict(scaled.normalize_obs(seen), deterministic=True)[0], -1.0, 1.0)
    sim.step()
    command = sim.driving.command("hopper")
    if joints:
        np.testing.assert_allclose(command.tau, [0.0, 0.0, 0.0, 0.3 * actions[0], 0.0], atol=1e-5)
        assert not command.stiffness.any()
    else:
        np.testing.assert_allclose(command.target[3:], 0.3 * actions, atol=1e-5)
        assert command.stiffness.tolist() == [0.0, 0.0, 0.0, 200.0, 5000.0]


@each(
    ("more", "said"),
    [
        ({"observe": ["*"]}, "observes base_position, allowed is"),
        ({"bound": None}, "a bound for each joint"),
    ],
)
def test_what_a_policy_file_cannot_name_is_refused_in_a_line(more, said, tmp_path):
    with pytest.raises(PluginError, match=f"^export_policy: .*{said}"):
        export_policy(*untrained(**more), tmp_path / "walk")
    assert not list(tmp_path.iterdir())


def test_joints_with_several_gains_that_no_action_moves_are_refused(tmp_path):
    scene = tmp_path / "uneven.toml"
    scene.write_text(
        '[simulation]\ntime_step = 2e-3\n[bodies.quadruped]\nrobot = "quadruped"\n'
        '[world.terrain]\nplugin = "plane"\n[bodies.quadruped.controller]\nplugin = "posture"\n'
        'stiffness = { "*_roll" = 50.0, "*_pitch" = 40.0, "*_knee" = 30.0 }\ndamping = 1.0\n'
    )
    more = {"scene": str(scene), "joints": ["*_knee"], "overrides": {}}
    with pytest.raises(PluginError, match="do not move need the same gains and no torques: fl_hip"):
        export_policy(*untrained(**more), tmp_path / "walk")


def test_the_time_of_restarts_is_no_choice_and_the_extra_is_named():
    from footfall_gym.sb3 import SceneVecEnv

    with pytest.raises(FootfallError, match=r"^autoreset: "):
        SceneVecEnv(num_envs=2, autoreset="disabled", **ACTING)
    code = "import sys; sys.modules['stable_baselines3'] = None; import footfall_gym.sb3"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install -e ".[sb3]"' in done.stderr.splitlines()[-1]


@pytest.mark.long
def test_the_quadruped_learns_to_walk(tmp_path):
    """The short form of the how-to's training: it does not fall, goes ahead, and meets hills."""
    write_files(ROOT / "docs/how-to/learn-a-policy.md", tmp_path)
    _, envs, curve = runpy.run_path(str(tmp_path / "walk.py"))["train"](160_000)
    _, _, _, gained, lasted, level, speed = curve.T
    assert gained[-1] > 10.0 * gained[0]
    assert lasted[-1] > 6.0 > 2.0 > lasted[0]
    assert level[-1] > 0.5 > level[0] == 0.0
    assert speed[-5:].mean() > 0.3 > speed[0]
    envs.close()

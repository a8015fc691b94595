"""Environments side by side, in processes or in one batch, see what they would see alone."""

import numpy as np
import pytest
from tests.cases import each, first

from footfall import load
from footfall.errors import FootfallError

gymnasium = pytest.importorskip("gymnasium")

from footfall_gym import ENV_ID, Curriculum, PostureNoise, SceneEnv  # noqa: E402

ARGUMENTS = {
    "scene": "humanoid/standing",
    "action": "posture",
    "duration": 0.1,
    "randomize": PostureNoise(0.05, 0.1),
    "reward": lambda sim, action: float(sim.q[2]),
}


def actions(k):
    return 0.2 * np.sin(k + np.arange(60.0)).reshape(2, 30).astype(np.float32)


def test_two_processes_give_the_bits_of_two_environments_in_one():
    """Over the end of an episode, after which each goes on with its own generator."""
    run = {}
    for mode in ("async", "sync"):
        envs = gymnasium.make_vec(ENV_ID, num_envs=2, vectorization_mode=mode, **ARGUMENTS)
        try:
            seen = [envs.reset(seed=[5, 6])[0].copy()]
            gained, ended = [], []
            for k in range(14):
                observation, reward, _, truncated, _ = envs.step(actions(k))
                seen.append(observation.copy())
                gained.append(reward.copy())
                ended.append(truncated.copy())
        finally:
            envs.close()
        run[mode] = (np.array(seen), np.array(gained), np.array(ended))
    for one, other in zip(run["async"], run["sync"], strict=True):
        assert one.tobytes() == other.tobytes()
    seen, _, ended = run["async"]
    assert not np.array_equal(seen[0, 0], seen[0, 1])
    assert np.flatnonzero(ended.all(axis=1)).tolist() == [9]


ACTING = {key: ARGUMENTS[key] for key in ("scene", "duration", "randomize")}


def vector(n=3, **arguments):
    return gymnasium.make_vec(ENV_ID, num_envs=n, **{**ACTING, "action": "posture", **arguments})


@pytest.mark.parametrize(
    "acting",
    [
        pytest.param({"action": "posture"}, marks=pytest.mark.long),
        pytest.param({"action": "torque"}, marks=pytest.mark.long),
        {
            "action": "torque",
            "joints": ["*_knee", "l_ankle_*"],
            "observe": ["*", "*/projected_gravity", "contact_force(l_foot, terrain)"],
        },
    ],
    ids=["posture", "torque", "torques of some joints"],
)
def test_each_run_is_the_environment_of_its_seed_bit_for_bit(acting):
    """Over the end of the episode, which starts anew in the step after it."""
    envs, alone = vector(**acting), [SceneEnv(**acting, **ACTING) for _ in range(3)]
    n = envs.single_action_space.shape[0]
    seen, _ = envs.reset(seed=5)
    np.testing.assert_array_equal(seen, [env.reset(seed=5 + i)[0] for i, env in enumerate(alone)])
    for k in range(10):
        act = 0.2 * np.sin(k + np.arange(3.0 * n)).reshape(3, n).astype(np.float32)
        seen, reward, terminated, truncated, info = envs.step(act)
        own = [env.step(a) for env, a in zip(alone, act, strict=True)]
        np.testing.assert_array_equal(seen, [step[0] for step in own])
        assert (reward == 1.0).all()
        assert not terminated.any()
        assert truncated.tolist() == [step[3] for step in own] == 3 * [k == 9]
        assert info["time"] == pytest.approx([step[4]["time"] for step in own])
    seen, reward, _, truncated, _ = envs.step(act)
    np.testing.assert_array_equal(seen, [env.reset()[0] for env in alone])
    assert not reward.any()
    assert not truncated.any()
    envs.close()


VARY = {
    "world.terrain.friction": (0.4, 1.0),
    "world.gravity": ((0.0, 0.0, -9.9), (0.0, 0.0, -9.7)),
    "bodies.humanoid.mass_scale": (0.8, 1.2),
    "bodies.humanoid.controller.damping": (20.0, 40.0),
}


def test_what_varies_acts_as_in_a_scene_of_its_own_and_comes_from_the_seed():
    envs = vector(2, vary=VARY, duration=0.5, randomize=None)
    envs.reset(seed=3)
    drawn = {key: values.copy() for key, values in envs.unwrapped.varied.items()}
    for key, (low, high) in VARY.items():
        assert ((drawn[key] >= low) & (drawn[key] <= high)).all()
        assert not np.array_equal(drawn[key][0], drawn[key][1])
    for _ in range(40):
        envs.step(np.zeros((2, 30), np.float32))
    for i in range(2):
        sim = load("humanoid/standing", {key: value[i].tolist() for key, value in drawn.items()})
        for _ in range(400):
            sim.step()
        # Masses are scaled in the batch where the scene's own are added up: other rounding.
        np.testing.assert_allclose(envs.unwrapped.batch.q[i], sim.q, 0.0, 1e-9)
    envs.reset(seed=3)
    for key, values in envs.unwrapped.varied.items():
        np.testing.assert_array_equal(values, drawn[key])
    envs.close()


def test_an_end_within_the_same_step_gives_what_was_seen_last():
    ends = np.array([False, True, False])
    envs = vector(autoreset="same_step", terminated=lambda env: ends)
    first, _ = envs.reset(seed=1)
    still = np.zeros((3, 30), np.float32)
    seen, _, terminated, _, info = envs.step(still)
    assert terminated.tolist() == ends.tolist() == info["_final_obs"].tolist()
    assert info["final_obs"][0] is None
    assert not np.array_equal(info["final_obs"][1], seen[1])
    assert info["time"] == pytest.approx([0.01, 0.0, 0.01])
    assert info["final_info"]["time"] == pytest.approx([0.0, 0.01, 0.0])
    assert ends.tolist() == info["_final_info"].tolist() == info["final_info"]["_time"].tolist()
    assert not np.array_equal(first[1], seen[1])  # another random start
    envs.close()


def test_runs_rise_and_fall_by_their_success_and_levels_set_their_keys():
    """An episode of two steps; from the highest of three levels a success leads to any."""
    success = np.array([1.0, 0.5, 0.0])
    ground = {"plugin": "heightmap", "function": "footfall_terrains.surfaces:bowl"}
    bowl = {**ground, "height": 0.0, "friction": 1.0}
    keys = {"world.terrain.height": (0.0, 0.02), "world.terrain.friction": (1.0, 0.5)}
    course = Curriculum(keys, lambda env: success, levels=3)
    given = {"overrides": {"world.terrain": bowl}, "randomize": None, "duration": 0.02}
    envs = vector(curriculum=course, autoreset="same_step", **given)
    inner, still = envs.unwrapped, np.zeros((3, 30), np.float32)
    envs.reset(seed=1)
    for expected in ([0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]):
        envs.step(still)
        assert inner.level.tolist() == expected
    varied = [inner.varied[key].tolist() for key in keys]
    assert varied == [[0.02, 0.0, 0.0], [0.5, 1.0, 1.0]]
    inner.level[:], success[:] = 2, 0.0
    envs.reset()
    sim = load("humanoid/standing", {"world.terrain": {**bowl, "height": 0.02, "friction": 0.5}})
    for _ in range(10):
        sim.step()
    envs.step(still)
    np.testing.assert_array_equal(inner.batch.q[:, 2], 3 * [sim.q[2]])
    envs.step(still)
    assert inner.level.tolist() == [1, 1, 1]
    assert {course.moved(2, 0.8, np.random.default_rng(k)) for k in range(20)} == {0, 1, 2}
    envs.close()


def assert_alike(ours, theirs):
    """Compare infos at all depths."""
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        if isinstance(value, dict):
            assert_alike(ours[key], value)
        else:
            np.testing.assert_array_equal(np.stack(ours[key].tolist()), np.stack(value.tolist()))


def test_infos_of_the_same_step_are_those_of_gymnasiums_own_vector_environment():
    """In a step that ends the episodes and in one that does not."""
    alone = [lambda: gymnasium.make(ENV_ID, action="posture", **ACTING | {"duration": 0.02})] * 2
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    theirs = gymnasium.vector.SyncVectorEnv(alone, autoreset_mode=mode)
    ours = vector(2, autoreset="same_step", duration=0.02)
    for env in (ours, theirs):
        env.reset(seed=3)
    for ended in (False, True):
        infos = [env.step(np.zeros((2, 30), np.float32))[4] for env in (ours, theirs)]
        assert ("final_info" in infos[0]) == ended
        assert_alike(*infos)
    ours.close()


def test_without_autoreset_a_mask_starts_some_anew():
    envs = vector(autoreset="disabled")
    envs.reset(seed=1)
    envs.step(np.zeros((3, 30), np.float32))
    _, info = envs.reset(options={"reset_mask": np.array([True, False, False])})
    assert info["time"] == pytest.approx([0.0, 0.01, 0.01])
    envs.close()


def test_a_run_that_fails_is_told_and_the_others_go_on():
    envs = vector()
    envs.reset(seed=1)
    envs.unwrapped.batch.v[1, 0] = 1e160
    seen, _, terminated, _, info = envs.step(np.zeros((3, 30), np.float32))
    assert terminated.tolist() == [False, True, False] == info["_failure"].tolist()
    assert "not finite" in info["failure"][1]
    assert info["failure"][0] is None
    assert np.isfinite(seen).all()
    _, reward, terminated, _, info = envs.step(np.zeros((3, 30), np.float32))
    assert "failure" not in info
    assert not terminated.any()
    assert reward.tolist() == [1.0, 0.0, 1.0]
    envs.close()


@pytest.mark.parametrize("given", first(np.ones((3, 1)), np.ones(5), None))
@pytest.mark.parametrize("what", first("reward", "terminated"))
def test_rewards_and_ends_of_another_shape_are_refused(what, given):
    envs = vector(**{what: lambda *arguments: given})
    envs.reset(seed=1)
    with pytest.raises(FootfallError, match=f"^{what}: expected 3 numbers, one per run"):
        envs.step(np.zeros((3, 30), np.float32))
    envs.close()


@pytest.mark.long
def test_observations_may_be_a_table_and_rewards_are_of_arrays():
    envs = vector(
        layout="dict",
        observe=("*/base_position", "*/joint_positions"),
        reward=lambda env, action: env.batch.q[:, 2] - 0.01 * (action**2).sum(axis=1),
    )
    seen, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(seen)
    assert seen["humanoid/joint_positions"].shape == (3, 30)
    _, reward, *_ = envs.step(np.zeros((3, 30), np.float32))
    np.testing.assert_array_equal(reward, envs.unwrapped.batch.q[:, 2])
    envs.close()


def of(keys, **more):
    return Curriculum(keys, lambda env: np.ones(3), **more)


WORLD = {"world.terrain.friction": (0.5, 1.0)}


@pytest.mark.parametrize("given", first({"levels": 1}, {"levels": 2.5}, {"rise": 0.1}))
def test_a_curriculum_that_cannot_be_is_refused(given):
    with pytest.raises(FootfallError, match=r"^curriculum: .* allowed is"):
        of(WORLD, **given)


@each(
    ("arguments", "message"),
    [
        ({"vary": {"world.terrain.frictoin": (0.1, 0.2)}}, "frictoin"),
        ({"vary": {"world.terrain.friction": (-0.1, 0.2)}}, "friction"),
        ({"vary": {"world.terrain.friction": (0.1, 0.2, 0.3)}}, "a least and greatest value"),
        ({"vary": {"world.terrain.friction": (0.3, 0.2)}}, "a least and greatest value"),
        ({"vary": {"world.terrain.friction": 0.3}}, "a least and greatest value"),
        ({"vary": {"simulation.duration": (1.0, 2.0)}}, "cannot differ within a batch"),
        ({"vary": {"simulation.time_step": (1e-3, 2e-3)}}, "all runs keep the same time"),
        ({"vary": {"bodies.humanoid.base_position": ((0, 0, 1), (0, 0, 2))}}, "give q and v"),
        ({"curriculum": of({"bodies.humanoid.friction": 0.3})}, "an easy and hard value"),
        ({"curriculum": of({"bodies.humanoid.frictoin": (0, 1)})}, "frictoin"),
        ({"curriculum": of(WORLD), "vary": WORLD}, "vary has this key as well"),
        ({"autoreset": "sometimes"}, "^autoreset: got 'sometimes'"),
        ({"overrides": {"contact.plugin": "gauss"}}, 'is Python: .*vectorization_mode="async"'),
        ({"overrides": {"bodies.humanoid.controller.method": "explicit"}}, 'method "implicit"'),
        ({"threads": 1000}, "^threads: got 1000"),
        ({"frame_skip": 0}, "^frame_skip: got 0"),
        ({"render_mode": "human"}, "^render_mode: .*no pictures"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(arguments, message):
    with pytest.raises(FootfallError, match=message) as caught:
        vector(**arguments)
    assert len(str(caught.value).splitlines()) == 1


def test_bad_actions_seeds_and_options_are_refused():
    envs = vector()
    for act in (np.zeros((2, 30)), np.full((3, 30), np.nan)):
        with pytest.raises(FootfallError, match=r"^action: .*expected 3 x 30 finite numbers"):
            envs.step(act)
    for seed in ([1, 2], 1.5):
        with pytest.raises(FootfallError, match=r"^seed: got .* for 3 runs"):
            envs.reset(seed=seed)
    envs.reset(seed=np.int64(3))
    with pytest.raises(FootfallError, match=r"^options: no option 'reset_maks', did you mean"):
        envs.reset(options={"reset_maks": 1})
    envs.close()

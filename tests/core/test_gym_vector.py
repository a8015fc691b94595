"""Environments in processes of their own see what they would see alone."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from footfall_gym import ENV_ID, PostureNoise  # noqa: E402

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

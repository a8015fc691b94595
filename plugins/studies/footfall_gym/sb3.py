"""A scene as a vector environment of Stable-Baselines3 (extra ``sb3``)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats, FootfallError, SettingError

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    told = f'footfall_gym.sb3 needs "stable-baselines3": {FootfallError.pip("sb3")}'
    raise ImportError(told) from error

from footfall_gym.observation import Observation
from footfall_gym.vector import SceneVectorEnv

Indices = None | int | Iterable[int]


class SceneVecEnv(VecEnv):
    """n runs of a scene for Stable-Baselines3: a ``SceneVectorEnv`` with same-step autoreset.

    ``infos[i]`` of an ended run has ``terminal_observation``, ``TimeLimit.truncated`` (True if only
    its duration ended it), and ``failure`` if the simulation failed.

    Attributes:
        envs: the environment; rewards and ends are functions of it.
    """

    def __init__(self, scene: str | Path, num_envs: int, **arguments: Any) -> None:
        """Make n environments of a scene.

        Args:
            scene: as in ``SceneVectorEnv``.
            num_envs: number of runs n.
            arguments: the other arguments of ``SceneVectorEnv``, without ``autoreset``.

        Raises:
            FootfallError: if an argument or the scene is not valid.
        """
        if "autoreset" in arguments:
            raise SettingError("Stable-Baselines3 restarts runs in the same step", "autoreset")
        self.envs = SceneVectorEnv(scene, num_envs, autoreset="same_step", **arguments)
        self._actions: Floats = np.zeros((num_envs, len(self.envs.action_names)))
        spaces = self.envs.single_observation_space, self.envs.single_action_space
        super().__init__(num_envs, *spaces)

    def reset(self) -> Observation:
        """Start episodes in all runs, with the seeds of ``seed``."""
        seen, _ = self.envs.reset(seed=self._seeds)
        self._reset_seeds()
        return seen

    def step_async(self, actions: Floats) -> None:
        """Take actions, shape (n, joints)."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[Observation, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the actions; see ``SceneVectorEnv.step``."""
        seen, reward, terminated, truncated, info = self.envs.step(self._actions)
        ended, infos = terminated | truncated, [dict[str, Any]() for _ in range(self.num_envs)]
        for i in np.flatnonzero(ended):
            infos[i]["terminal_observation"] = info["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = bool(truncated[i])
            if "failure" in info and info["_failure"][i]:
                infos[i]["failure"] = info["failure"][i]
        return seen, reward.astype(np.float32), ended, infos

    def close(self) -> None:
        """End the threads."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of ``envs``, once per run."""
        return [getattr(self.envs, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of ``envs``, for all runs."""
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *given: Any, indices: Indices = None, **named: Any
    ) -> list[Any]:
        """Call a method of ``envs`` once; return its result once per run."""
        result = getattr(self.envs, method_name)(*given, **named)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Return False for each run: the runs have no wrappers of their own."""
        return [False for _ in self._get_indices(indices)]

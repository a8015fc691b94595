"""Scenes as Gymnasium environments (extra ``gym``); importing this registers them.

A scene by its name, and what an action of it is::

    import gymnasium, footfall_gym
    env = gymnasium.make("footfall/Scene-v0", scene="humanoid/standing", action="posture")

``SceneEnv`` is the class of the environments, the others say what is acted on and observed.
"""

try:
    import gymnasium
except ImportError as error:
    raise ImportError('footfall_gym needs "gymnasium": pip install "footfall[gym]"') from error

from footfall_gym.actions import Steered, TargetAction, TorqueAction
from footfall_gym.env import SceneEnv, duration_only, time_survived
from footfall_gym.observation import Group, Observer
from footfall_gym.start import PostureNoise

__all__ = [
    "ENV_ID",
    "Group",
    "Observer",
    "PostureNoise",
    "SceneEnv",
    "Steered",
    "TargetAction",
    "TorqueAction",
    "duration_only",
    "time_survived",
]
ENV_ID = "footfall/Scene-v0"
"""Name of the environment for ``gymnasium.make``."""

gymnasium.register(id=ENV_ID, entry_point="footfall_gym.env:SceneEnv")

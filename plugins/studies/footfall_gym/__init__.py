"""Scenes as Gymnasium environments (extra ``gym``); ``gymnasium.make`` needs no import of it.

Give the name of a scene and the kind of its actions::

    env = gymnasium.make(
        "footfall_gym:footfall/Scene-v0", scene="humanoid/standing", action="posture"
    )

``SceneEnv`` is the class of the environments; the other classes define actions and observations.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import gymnasium
except ImportError as error:
    from footfall.api.plugin import FootfallError

    told = f'footfall_gym needs "gymnasium": {FootfallError.pip("gym")}'
    raise ImportError(told) from error

if TYPE_CHECKING:
    from footfall_gym.actions import Steered, TargetAction, TorqueAction
    from footfall_gym.curriculum import Curriculum
    from footfall_gym.env import SceneEnv, duration_only, time_survived
    from footfall_gym.observation import Group, Observer
    from footfall_gym.start import PostureNoise
    from footfall_gym.vector import SceneVectorEnv

_HOME = {
    "Curriculum": "curriculum",
    "Group": "observation",
    "Observer": "observation",
    "PostureNoise": "start",
    "SceneEnv": "env",
    "SceneVectorEnv": "vector",
    "Steered": "actions",
    "TargetAction": "actions",
    "TorqueAction": "actions",
    "duration_only": "env",
    "time_survived": "env",
}
__all__ = [
    "ENV_ID",
    "Curriculum",
    "Group",
    "Observer",
    "PostureNoise",
    "SceneEnv",
    "SceneVectorEnv",
    "Steered",
    "TargetAction",
    "TorqueAction",
    "duration_only",
    "time_survived",
]
ENV_ID = "footfall/Scene-v0"
"""Name of the environment; ``gymnasium.make`` imports the module named before the colon."""

gymnasium.register(
    id=ENV_ID,
    entry_point="footfall_gym.env:SceneEnv",
    vector_entry_point="footfall_gym.vector:SceneVectorEnv",
)


def __getattr__(name: str) -> Any:
    """Import a public name on its first use; the first one loads the simulator."""
    if name not in _HOME:
        raise AttributeError(f"module 'footfall_gym' has no attribute {name!r}")
    value = getattr(import_module(f"footfall_gym.{_HOME[name]}"), name)
    globals()[name] = value
    return value

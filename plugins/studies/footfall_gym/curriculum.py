"""Levels of difficulty of the runs of a vector environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.api.plugin import Floats, Ints, SettingError

if TYPE_CHECKING:
    from footfall_gym.vector import SceneVectorEnv


@dataclass(frozen=True, slots=True)
class Curriculum:
    """Levels that a run rises to and falls from by its success.

    At level k of L a key has the value ``easy + k / (L - 1) (hard - easy)``. A run begins at level
    0. At the end of an episode of success s it rises by a level if ``s >= rise`` and falls by one
    if ``s < fall``. From the highest level it goes on at a random one, so that the easy ones are
    not forgotten.

    Source: N. Rudin, D. Hoeller, P. Reist, M. Hutter: Learning to Walk in Minutes Using Massively
    Parallel Deep Reinforcement Learning, CoRL 2021 (the game-inspired curriculum).

    Attributes:
        keys: easy and hard value by key of the scene; any key of ``Batch.set``.
        success: function of the environment, called at ends of episodes: success of the episodes
            that end now, shape (n,), 0 to 1. An episode whose simulation failed has 0.
        levels: number of levels L, 2 to 256.
        rise, fall: bounds of the success, ``0 <= fall <= rise``.
    """

    keys: Mapping[str, tuple[Any, Any]]
    success: Callable[[SceneVectorEnv], Floats]
    levels: int = 10
    rise: float = 0.8
    fall: float = 0.4

    def __post_init__(self) -> None:
        if not (isinstance(self.levels, int) and 2 <= self.levels <= 256):
            raise SettingError(f"levels: got {self.levels!r}, allowed is 2 to 256", "curriculum")
        if not 0.0 <= self.fall <= self.rise:
            told = f"got rise {self.rise!r} and fall {self.fall!r}, allowed is 0 <= fall <= rise"
            raise SettingError(told, "curriculum")

    def values(self, key: str, level: Ints) -> Floats:
        """Return the values of a key at levels (n,), shape (n,) or (n, length)."""
        easy, hard = (np.asarray(end, float) for end in self.keys[key])
        share = (level / (self.levels - 1)).reshape(-1, *(1 for _ in easy.shape))
        return np.asarray(easy + share * (hard - easy))

    def moved(self, level: int, success: float, generator: np.random.Generator) -> int:
        """Return the level that follows an episode."""
        if success >= self.rise:
            return level + 1 if level + 1 < self.levels else int(generator.integers(self.levels))
        return max(level - 1, 0) if success < self.fall else level


NO_CURRICULUM = Curriculum({}, lambda env: np.zeros(env.num_envs))
"""Curriculum without keys."""

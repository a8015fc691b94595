"""Train the quadruped to walk over hills: ``python -m footfall_gym.quadruped_walk FOLDER``.

PPO of Stable-Baselines3 learns offsets of joint targets at 50 Hz. The hills rise by a curriculum,
the friction of the feet differs from episode to episode. FOLDER gets ``walk.npz`` and ``walk.toml``
(see ``export_policy``) and ``curve.csv``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from footfall.api.plugin import Floats
from footfall_gym.curriculum import Curriculum
from footfall_gym.policy_export import export_policy
from footfall_gym.sb3 import SceneVecEnv
from footfall_gym.start import PostureNoise
from footfall_gym.vector import SceneVectorEnv

SPEED, DURATION = 0.5, 8.0
"""Wanted speed, [m/s], and length of an episode, [s]."""
HILLS = {"plugin": "heightmap", "function": "footfall_terrains.surfaces:hills", "size": [8.0, 8.0]}
OVERRIDES = {
    "simulation.time_step": 2e-3,
    "world.terrain": {**HILLS, "height": 0.0, "friction": 0.8},
    "bodies.quadruped.base_position": [0.0, 0.0, 0.335],
    "bodies.quadruped.controller.stiffness": 40.0,
    "bodies.quadruped.controller.damping": 1.0,
    "bodies.quadruped.sensors": [],
}
OBSERVE = ("*/base_linear_velocity", "*/base_angular_velocity", "*/projected_gravity", "*/joint_*")
COLUMNS = ("steps", "wall_s", "processor_s", "return", "seconds", "level", "speed")


@dataclass(slots=True)
class Walking:
    """Reward of walking straight ahead at ``SPEED`` with little effort, at most 3 a step.

    Attributes:
        last: shape (n, joints), actions of the last step.
    """

    last: Floats = field(default_factory=lambda: np.zeros((1, 1)))

    def __call__(self, env: SceneVectorEnv, actions: Floats) -> Floats:
        """Return the rewards, shape (n,)."""
        v, change = env.batch.v, actions - self.last
        self.last = actions.copy()
        ahead = 2.0 * np.exp(-8.0 * (v[:, 0] - SPEED) ** 2)
        straight = 0.5 * np.exp(-8.0 * v[:, 1] ** 2) + 0.5 * np.exp(-4.0 * v[:, 5] ** 2)
        shaking = 0.5 * v[:, 2] ** 2 + 0.05 * (v[:, 3:5] ** 2).sum(axis=1)
        effort = 0.02 * (change**2).sum(axis=1) + 0.01 * (actions**2).sum(axis=1)
        return np.asarray(ahead + straight - shaking - effort)


def fallen(env: SceneVectorEnv) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which trunks lean by more than 45 degrees or are below 0.17 m, shape (n,)."""
    x, y = env.batch.q[:, 3:5].T
    return np.asarray((x * x + y * y > 0.15) | (env.batch.q[:, 2] < 0.17))


def covered(env: SceneVectorEnv) -> Floats:
    """Return the distance from the start over that at ``SPEED``, shape (n,), [-]."""
    return np.asarray(np.hypot(*env.batch.q[:, :2].T) / (SPEED * DURATION))


def environment(runs: int, levels: int = 6) -> VecNormalize:
    """Return the environment of the training, observations and rewards normalised."""
    hills = Curriculum({"world.terrain.height": (0.0, 1.0)}, covered, levels)
    envs = SceneVecEnv(
        *("quadruped/standing", runs),
        action="posture",
        bound={"*_hip_roll": 0.2, "*_hip_pitch": 0.5, "*_knee": 0.5},
        duration=DURATION,
        overrides=OVERRIDES,
        observe=OBSERVE,
        vary={"bodies.quadruped.friction": (0.5, 1.0)},
        curriculum=hills,
        reward=Walking(),
        terminated=fallen,
        randomize=PostureNoise(0.05, 0.1),
    )
    return VecNormalize(VecMonitor(envs))


def train(
    steps: int, *, runs: int = 64, seed: int = 1, tell: Callable[[str], None] = print
) -> tuple[PPO, SceneVectorEnv, Floats]:
    """Train; return the model, its environment and the curve, shape (updates, ``COLUMNS``)."""
    torch.set_num_threads(1)
    scaled = environment(runs)
    (envs,) = scaled.get_attr("unwrapped", 0)
    model = PPO(
        *("MlpPolicy", scaled),
        n_steps=64,
        batch_size=1024,
        n_epochs=5,
        learning_rate=6e-4,
        gamma=0.98,
        target_kl=0.03,
        policy_kwargs={"net_arch": [64, 64], "activation_fn": torch.nn.ELU, "log_std_init": -0.7},
        seed=seed,
        device="cpu",
    )
    began, curve = time.monotonic(), []

    def note(_: dict[str, Any], __: dict[str, Any]) -> bool:
        done = model.ep_info_buffer
        if model.num_timesteps % (64 * runs) == 0 and done:
            gained, lasted = (float(np.mean([one[key] for one in done])) for key in ("r", "l"))
            spent = time.monotonic() - began, time.process_time()
            state = envs.level.mean(), envs.batch.v[:, 0].mean()
            curve.append((model.num_timesteps, *spent, gained, lasted * envs.dt, *state))
            if len(curve) % 10 == 1:
                tell(", ".join(f"{k} {x:.4g}" for k, x in zip(COLUMNS, curve[-1], strict=True)))
        return True

    model.learn(steps, callback=note)
    return model, envs, np.array(curve)


def main() -> None:
    """Train by the command line."""
    parser = argparse.ArgumentParser(description="Train the quadruped to walk over hills.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    model, envs, curve = train(given.steps, seed=given.seed)
    export_policy(model, envs, given.folder / "walk")
    head = ",".join(COLUMNS)
    np.savetxt(given.folder / "curve.csv", curve, "%.6g", ",", header=head, comments="")


if __name__ == "__main__":
    main()

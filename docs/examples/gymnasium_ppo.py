"""Train an agent with PPO in a Gymnasium environment. Extra: sb3.
You see how long it balances a rod before and after some seconds of learning."""

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from footfall_gym import PostureNoise
from footfall_gym.sb3 import SceneVecEnv


def upright(env, actions):  # the height of the tip, less what the torque costs
    return -np.cos(env.batch.q[:, 0]) - 0.1 * (actions**2).sum(axis=1)


def fallen(env):
    return np.cos(env.batch.q[:, 0]) > -np.sqrt(0.5)  # leans by more than 45 degrees


torch.set_num_threads(1)
envs = SceneVecEnv(
    "pendulum/swing",
    16,  # runs at once
    frame_skip=20,  # an action holds for 20 ms
    overrides={"bodies.pendulum.joint_positions.hinge": np.pi},  # upright
    bound=3.0,  # torque of an action of 1, [N m]: too little to lift the rod from its side
    duration=4.0,  # of an episode, [s]
    reward=upright,
    terminated=fallen,
    randomize=PostureNoise(0.1, 0.1),
)
envs = VecNormalize(VecMonitor(envs))  # brings observations to one scale
model = PPO("MlpPolicy", envs, 1e-3, n_steps=64, batch_size=256, gamma=0.98, seed=1, device="cpu")
for steps in (0, 20_000):
    model.learn(steps)
    lengths = evaluate_policy(model, envs, 32, return_episode_rewards=True)[1]
    print(f"after {steps} steps it balances for {0.02 * np.mean(lengths):.2f} of 4 s")

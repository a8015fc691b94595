"""Microseconds a step of an environment beside the steps of the simulation that it makes.

python -m tests.benchmarks.environment [--steps 300] [--repeats 15]
"""

from __future__ import annotations

import argparse

import numpy as np

import footfall
from footfall_bench.timing import Burst, interleaved, pairwise
from footfall_gym import SceneEnv

SCENE, SKIP = "humanoid/standing", 10
PLAIN = f"{SKIP} simulator.step()"


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args(arguments)
    sim, env = footfall.load(SCENE), SceneEnv(SCENE, action="posture", frame_skip=SKIP)
    env.reset(seed=0)
    action = np.zeros(env.action_space.shape, np.float32)

    def plain(count: int) -> None:
        for _ in range(count * SKIP):
            sim.step()

    def stepped(count: int) -> None:
        for _ in range(count):
            env.step(action)

    def reset(count: int) -> None:
        for _ in range(count):
            env.reset()

    bursts: dict[str, Burst] = {PLAIN: plain, "env.step(action)": stepped, "env.reset()": reset}
    for burst in bursts.values():
        burst(20)
    samples = interleaved(bursts, options.steps, options.repeats)
    for name, sample in samples.items():
        print(f"{name:<22}{sample}  {pairwise(sample, samples[PLAIN]).median:.2f} x")


if __name__ == "__main__":
    main()

"""Random starts of episodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import SimulationError
from footfall_stepper.api import StepperSimulator

Randomize = Callable[[StepperSimulator, np.random.Generator], None]
"""Function that changes ``sim.q`` and ``sim.v`` at the start of an episode, by the generator."""


@dataclass(frozen=True, slots=True)
class PostureNoise:
    """Moves joints by uniform random numbers, within the model's limits.

    A floating base moves up or down, so that the lowest contact point of each body keeps its gap
    to the ground (exactly on level ground).

    Attributes:
        position: greatest change of a joint position, [rad or m].
        velocity: greatest change of a joint velocity, [rad/s or m/s].
    """

    position: float = 0.02
    velocity: float = 0.0

    def __post_init__(self) -> None:
        for key in ("position", "velocity"):
            value = getattr(self, key)
            if not (np.isfinite(value) and value >= 0.0):
                raise SimulationError(f"PostureNoise: {key}: got {value!r}, allowed is 0 or more")

    def __call__(self, sim: StepperSimulator, np_random: np.random.Generator) -> None:
        """Change the state of a simulator.

        Raises:
            SimulationError: if a body has closed loops, which the change would open.
        """
        world = sim.world
        before = _lowest(sim)
        for index, body in enumerate(world.bodies):
            if body.loops:
                raise SimulationError(
                    f"PostureNoise: {body.name} has closed loops, its joints cannot move alone"
                )
            n = len(body.model.joint_names)
            q, v = sim.q[world.q_slice(index)], sim.v[world.v_slice(index)]
            s, s_dot = q[len(q) - n :], v[len(v) - n :]
            moved = s + np_random.uniform(-self.position, self.position, n)
            low = np.minimum(body.model.position_lower, s)
            high = np.maximum(body.model.position_upper, s)
            s[:] = np.clip(moved, low, high)
            s_dot += np_random.uniform(-self.velocity, self.velocity, n)
        after = _lowest(sim)
        for index, body in enumerate(world.bodies):
            if body.model.base == "floating" and np.isfinite(before[index]):
                sim.q[world.q_slice(index)][2] -= after[index] - before[index]


def _lowest(sim: StepperSimulator) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the smallest gap of each body's contact points, inf without any, [m]."""
    world = sim.world
    sim.stepper.observe(sim.time)
    out = np.full(len(world.bodies), np.inf)
    np.minimum.at(out, world.topology.link_tree[world.candidates.link], world.candidates.gap)
    return out

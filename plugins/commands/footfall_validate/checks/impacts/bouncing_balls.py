"""Balls that bounce forever: the row "bouncing" of SimBenchmark."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall import Simulator
from footfall_validate.claims import restitution
from footfall_validate.lab import G, Lab
from footfall_validate.laws.check import Check, Measure
from footfall_validate.shapes import ball

MASS, RADIUS, HEIGHT = 10.0, 0.1, 5.0
"""Mass [kg], radius [m], and starting height of the centres [m]."""
SIDE = 7
"""Number of balls along each side of the square."""
DURATION = 20.0
"""Simulated time, [s]."""
PUBLISHED = 0.0186
"""Result of RaiSim, the smallest published one, [J^2]."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with constant energy of 49 balls of 10 kg that fall from 5 m, with e = 1 and mu = 0.

    The figure is the mean over 20 s of ``(E - E0)^2``, with E of all balls together, at 1 ms: the
    row "bouncing" of SimBenchmark (ETH Zurich, 2018). The best published result is 0.0186 J^2, by
    RaiSim. E0 is 23 544 J more than on the ground.
    """
    grid = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    bodies = [
        ball(MASS, RADIUS).at((x, y, HEIGHT), name=f"ball{i}") for i, (x, y) in enumerate(grid)
    ]
    sim = lab.simulator(bodies, mu=0.0, e=1.0)
    start, total = _energy(sim), 0.0
    steps = round(DURATION / sim.time_step)
    for _ in range(steps):
        sim.step()
        total += (_energy(sim) - start) ** 2
    yield Measure(
        "mean square error of the energy of 49 balls", "J^2", total / steps, 0.0, PUBLISHED
    )


def _energy(sim: Simulator) -> float:
    """Return the mechanical energy of all balls, which do not rotate, [J]."""
    v = sim.v.reshape(-1, 6)[:, :3]
    height = sim.q.reshape(-1, 7)[:, 2] - RADIUS
    return float(MASS * (0.5 * np.sum(v * v) + G * np.sum(height)))


CHECK = Check(
    "bouncing_balls", "Energy of bouncing balls", run, needs=(restitution,), about="impact"
)

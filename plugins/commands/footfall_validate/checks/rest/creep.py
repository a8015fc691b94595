"""Creep of a sticking body."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import friction, sticks
from footfall_validate.lab import G, Lab, steps
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.rotations import rotation_quaternion
from footfall_validate.shapes import box

MU, FACTOR, DIRECTION = 0.5, 0.9, 0.7


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with rest for 10 s while a force of ``0.9 mu m g`` pulls.

    The measurement starts after 0.5 s, in which springs along the ground are stretched.
    """
    depth = lab.rest_depth(G / 4.0)
    body = box(1.0, (0.2, 0.1, 0.06)).at((0, 0, 0.03 - depth), rotation_quaternion((0, 0, 0.3)))
    pull = FACTOR * MU * G * np.array([np.cos(DIRECTION), np.sin(DIRECTION), 0.0])
    sim = lab.simulator(body, mu=MU, gravity=(pull[0], pull[1], -G))
    steps(sim, 500)
    start, times, ways = sim.q[:3].copy(), [0.0], [0.0]
    for _ in range(100):
        steps(sim, 100)
        times.append(sim.time - 0.5)
        ways.append(float(np.linalg.norm(sim.q[:3] - start)))
    yield Measure("way in 10 s", "m", max(ways), 0.0, 1e-9)
    yield trace("creep", times, np.maximum(ways, 1e-16))


CHECK = Check("creep", "Creep below the cone", run, needs=(friction, sticks))

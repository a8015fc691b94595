"""A cube that starts with 6 m/s on the ground."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import friction, slides
from footfall_validate.lab import G, Lab, world_velocity
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.shapes import box

SPEED, MU, DT, SIDE = 6.0, 0.5, 1e-3, 0.1


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with ``v0^2 / (2 mu g)`` = 3.670 m, without rise or tumble (Coulomb's law).

    A cube of 0.1 m at 6 m/s, mu 0.5, which convex relaxations of the law lift. The tolerance is
    ``v0 dt / 2`` and 1e-4 of the distance. If points sink in, it also contains their depth with the
    whole weight on two of them, since braking loads the front.
    """
    depth, sunk = lab.rest_depth(G / 4.0), lab.rest_depth(G / 2.0)
    sim = lab.simulator(box().at((0, 0, 0.5 * SIDE - depth), linear=(SPEED, 0, 0)), mu=MU, dt=DT)
    times, speeds, heights, ways, tilt = [0.0], [SPEED], [0.0], [0.0], 0.0
    for _ in range(2000):
        sim.step()
        times.append(sim.time)
        ways.append(float(sim.q[0]))
        speeds.append(float(world_velocity(sim)[0]))
        heights.append(float(sim.q[2]) - 0.5 * SIDE)
        tilt = max(tilt, float(2.0 * np.hypot(sim.q[3], sim.q[4])))
    expected = SPEED**2 / (2.0 * MU * G)
    allowed = 0.5 * SPEED * DT + 1e-4 * expected + sunk
    yield Measure("distance", "m", ways[-1], expected, allowed)
    yield Measure("rise", "m", max(heights), 0.0, 1e-6 + sunk)
    yield Measure("tilt", "rad", tilt, 0.0, 1e-5 + 2.0 * sunk / SIDE)
    yield Measure("speed in the end", "m/s", abs(speeds[-1]), 0.0, lab.accuracy)
    yield trace("sliding_speed", times, speeds)
    yield trace("sliding_rise", times, 1e3 * np.array(heights))


CHECK = Check("sliding_cube", "Cube pushed off at 6 m/s", run, needs=(friction, slides))

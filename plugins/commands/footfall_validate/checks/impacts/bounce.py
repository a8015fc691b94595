"""Bouncing: the height of the rebound."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import restitution
from footfall_validate.lab import G, Lab, world_velocity
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.shapes import Shape, ball, box, points, rigid_model

HEIGHT = 1.0
"""Height of the drop, [m]."""
FALL = float(np.sqrt(2.0 * HEIGHT / G))
"""Time of the first fall, [s]."""
SHAPES = {
    "ball": (ball(), 0.1),
    # Points at the height of the mass centre, so that it neither hangs nor topples.
    "two points": (
        Shape(rigid_model(1.0, (0.01, 0.02, 0.025)), points([(0.2, 0, 0), (-0.2, 0, 0)])),
        0.0,
    ),
    "four points": (box(1.0, (0.3, 0.2, 0.2)), 0.1),
}
"""Shapes with the height of their origin when they touch, [m]."""


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with a rebound to ``e^2`` times the drop, within 1 % (Newton's restitution).

    Dropped from 1 m at 1 ms: a ball, and bodies that land flat on two or four points.
    """
    for shape in SHAPES:
        for e in (0.25, 0.5, 0.75, 1.0):
            times, heights, top = drop(lab, shape, e)
            what = f"h1 / h0 of {shape}, e = {e:g}"
            yield Measure(what, "", top / HEIGHT, e**2, 0.01 * e**2)
            if shape == "ball" and e == 0.75:
                yield trace("bounce", times, heights)


def drop(lab: Lab, shape: str, e: float) -> tuple[list[float], list[float], float]:
    """Return times [s] and heights [m] of a drop, and the height of the first rebound [m]."""
    body, low = SHAPES[shape]
    sim = lab.simulator(body.at((0, 0, HEIGHT + low)), e=e)
    times, heights, top, landed = [0.0], [HEIGHT], 0.0, False
    for _ in range(round((FALL * (1.0 + 1.2 * e) + 0.1) / sim.time_step)):
        sim.step()
        times.append(sim.time)
        heights.append(float(sim.q[2]) - low)
        landed = landed or bool(world_velocity(sim)[2] > -0.5 * G * FALL and sim.time > FALL)
        if landed:
            top = max(top, heights[-1])
    return times, heights, top


CHECK = Check("bounce", "Height of a rebound", run, needs=(restitution,), about="impact")

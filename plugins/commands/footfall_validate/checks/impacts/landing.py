"""A drop without restitution."""

from __future__ import annotations

from collections.abc import Iterator

from footfall_validate.checks.impacts.bounce import FALL, HEIGHT, SHAPES
from footfall_validate.claims import absorbed, rigid
from footfall_validate.lab import G, Lab
from footfall_validate.laws.check import Check, Measure, Trace, trace


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with no rebound (up to 1e-4 of the drop), and the law's depth at rest (to 4.4 mm).

    Dropped from 1 m: a ball, and bodies that land flat on two or four points. Laws that do not look
    ahead notice the ground up to a step too late. So depths up to ``sqrt(2 g h) dt`` = 4.4 mm
    beyond the law's depth at rest are allowed, and shown.
    """
    for shape, (body, low) in SHAPES.items():
        sim = lab.simulator(body.at((0, 0, HEIGHT + low)))
        times, heights, top = [], [], 0.0
        for _ in range(round((FALL + 0.5) / sim.time_step)):
            sim.step()
            times.append(sim.time)
            heights.append(float(sim.q[2]) - low)
            if sim.time > FALL + 2.0 * sim.time_step:
                top = max(top, heights[-1])
        yield Measure(f"h1 / h0 of {shape}", "", top / HEIGHT, 0.0, 1e-4)
        points = len(body.features)
        expected = lab.rest_depth(G / (4 if points == 8 else points))
        allowed = G * FALL * sim.time_step + 0.01 * expected
        yield Measure(f"depth of {shape}", "m", -heights[-1], expected, allowed)
        if shape == "ball":
            yield trace("landing", times, heights)


CHECK = Check(
    "landing", "Landing without restitution", run, needs=(absorbed, rigid), about="impact"
)

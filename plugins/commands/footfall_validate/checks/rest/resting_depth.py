"""Depth of resting points in the ground."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.lab import G, Lab
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.shapes import Shape, table

SLOP = 1e-5
"""Penetration that rigid laws may leave uncorrected, [m]."""


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with the depth at which n points carry m g: (m g / (n K))^(2/3) for ``f = K d^1.5``.

    The law itself gives the depth for a force; it is 0 for rigid laws. A body of 2 kg starts at
    touching height on 3 and on 4 points. After 1.5 s its depth is compared to 0.1 %, plus the 10 um
    that rigid laws may leave.
    """
    for n in (3, 4):
        expected = lab.rest_depth(2.0 * G / n)
        times, depths = _sinking(lab, table(n))
        allowed = SLOP + 1e-3 * expected
        yield Measure(f"depth on {n} points", "m", depths[-1], expected, allowed)
        if n == 4:
            yield trace("resting_depth", times, 1e3 * np.array(depths))


def _sinking(lab: Lab, shape: Shape) -> tuple[list[float], list[float]]:
    sim = lab.simulator(shape.at((0, 0, 0.2)))
    times, depths = [0.0], [0.0]
    for _ in range(1500):
        sim.step()
        times.append(sim.time)
        depths.append(0.2 - float(sim.q[2]))
    return times, depths


CHECK = Check("resting_depth", "Depth at rest", run)

"""Step halving: the declared order of the integrator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from footfall_validate.lab import Lab, steps
from footfall_validate.laws.check import Check, Measure
from footfall_validate.shapes import Shape, rigid_model

DURATION = 0.32
COARSE = 8e-3
"""Longest of the three steps, [s]."""
ROUNDING = 1e-9
"""Largest difference of equal ends; adaptive schemes choose their own steps."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the order p: ``log2(|y(dt) - y(dt/2)| / |y(dt/2) - y(dt/4)|) = p`` (Richardson).

    A body whose mass is off its base's origin tumbles without contact, so that every term of the
    motion counts; y are its position, orientation and velocity at the end. The tolerance of the
    order p is 0.2, since terms of the next order still matter at 8 ms. p is the order in flight.
    """
    ends = [_end(lab, COARSE / 2**k) for k in range(3)]
    coarse, fine = (float(np.linalg.norm(ends[k] - ends[k + 1])) for k in range(2))
    if coarse < ROUNDING:
        yield Measure("difference of two steps", "", coarse, 0.0, ROUNDING)
        return
    order = float(np.log2(coarse / fine)) if fine > 0.0 else np.inf
    yield Measure("order of the error", "", order, float(lab.laws.flight_order), 0.2)


def _end(lab: Lab, dt: float) -> npt.NDArray[np.float64]:
    shape = Shape(rigid_model(1.3, (0.010, 0.020, 0.025), (0.1, 0.05, -0.03)), [])
    body = shape.at((0, 0, 5), linear=(1.0, 2.0, 3.0), angular=(3.0, -4.0, 2.0))
    sim = lab.simulator(body, dt=dt)
    steps(sim, round(DURATION / dt))
    return np.concatenate([sim.q, sim.v])


CHECK = Check("order", "Step halving of a tumbling body", run, about="motion")

"""A box on a slope below the angle of friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from footfall_stepper.api import StepperSimulator
from footfall_validate.claims import friction, tilted
from footfall_validate.lab import G, Lab, steps
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import flat_on, slope_normal
from footfall_validate.shapes import box

LENGTHS = (0.2, 0.2, 0.04)
"""Lengths of a flat box, which slides before it tips at every mu below 5, [m]."""
AZIMUTHS = np.radians([0.0, 17.0, 45.0, 133.0, 180.0, 251.0])
FRICTION = (0.2, 0.5, 1.0)
BELOW = 0.01
"""Angle of the slope below the angle of friction, [rad]."""


def on_slope(
    lab: Lab, slope: float, azimuth: float, mu: float, speed: float = 0.0
) -> tuple[StepperSimulator, npt.NDArray[np.float64]]:
    """Return a simulator of a flat box on a tilted plane, and the direction down the slope, (3,).

    Args:
        lab: lab that composes the simulator.
        slope: angle of the plane, [rad].
        azimuth: direction in which it descends, [rad].
        mu: coefficient of friction.
        speed: speed of the box down the slope, [m/s].
    """
    n = slope_normal(slope, azimuth)
    down = np.array([np.cos(azimuth) * np.cos(slope), np.sin(azimuth) * np.cos(slope), 0.0])
    down[2] = -np.sin(slope)
    height = 0.5 * LENGTHS[2] - lab.rest_depth(G * np.cos(slope) / 4.0)
    body = box(1.0, LENGTHS).at(height * n, flat_on(n, 0.4), linear=speed * down)
    return lab.simulator(body, normal=n, mu=mu), down


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with rest: a box sticks if the slope is below ``atan(mu)`` (Coulomb's law).

    On planes tilted by ``atan(mu) - 0.01``, in several directions. The box settles for 0.5 s; then
    its speed may reach the law's declared creep and accuracy.
    """
    for mu in FRICTION:
        for azimuth in AZIMUTHS:
            sim, _ = on_slope(lab, np.arctan(mu) - BELOW, azimuth, mu)
            steps(sim, 500)
            start, begin = sim.q[:3].copy(), sim.time
            steps(sim, 100)
            speed = float(np.linalg.norm(sim.q[:3] - start)) / (sim.time - begin)
            where = f"mu = {mu:g}, {np.degrees(azimuth):.0f} deg"
            yield Measure(f"mean speed, {where}", "m/s", speed, 0.0, lab.accuracy)


CHECK = Check("slope_stick", "Slope below the angle of friction", run, needs=(friction, tilted))

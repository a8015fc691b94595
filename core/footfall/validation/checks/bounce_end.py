"""Bouncing: when it ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.simulation.stepper import StepSettings
from footfall.validation.check import Check
from footfall.validation.checks.bounce import FALL, HEIGHT
from footfall.validation.claims import restitution
from footfall.validation.lab import G, Lab
from footfall.validation.measure import Measure
from footfall.validation.shapes import ball


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the series of flights ``sqrt(2 h / g) (1 + e) / (1 - e)``.

    An impact at w would be followed by flights of ``2 e w / (g (1 - e))`` in all. Impacts below the
    threshold of restitution end them, and a flight is lost whose end the step cannot resolve:
    w is at most the threshold and ``g dt / 2``. A step more, for the step in which it ends.
    """
    for e in (0.25, 0.5, 0.75):
        end = FALL * (1.0 + e) / (1.0 - e)
        sim = lab.simulator(ball().at((0, 0, HEIGHT + 0.1)), e=e)
        dt, last = sim.time_step, 0.0
        threshold = StepSettings(dt).restitution_threshold
        for _ in range(round((end + 0.2) / dt)):
            sim.step()
            if abs(sim.v[2]) > lab.accuracy + 1e-6:
                last = sim.time
        missing = 2.0 * e * (threshold + 0.5 * G * dt) / (G * (1.0 - e))
        allowed = missing + 2.0 * dt
        yield Measure(f"end of the bounces of a ball, e = {e:g}", "s", last, end, allowed)
    yield Measure("height in the end", "m", float(np.abs(sim.q[2] - 0.1)), 0.0, 1e-5)


CHECK = Check("bounce_end", "End of bouncing", run, needs=(restitution,), about="impact")

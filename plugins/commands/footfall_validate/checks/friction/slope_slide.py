"""A box on a slope above the angle of friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.checks.friction.slope_stick import AZIMUTHS, FRICTION, on_slope
from footfall_validate.claims import friction, isotropic, slides, tilted
from footfall_validate.lab import G, Lab, steps, world_velocity
from footfall_validate.laws.check import Check, Measure


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with ``a = g (sin - mu cos)`` down the slope (Coulomb's law).

    On planes tilted by ``atan(mu) + 0.05``, in several directions. The box starts with 0.2 m/s, so
    that springs along the ground are stretched before the first of the two speeds is measured.
    """
    for mu in FRICTION:
        slope = np.arctan(mu) + 0.05
        a = G * (np.sin(slope) - mu * np.cos(slope))
        for azimuth in AZIMUTHS:
            sim, down = on_slope(lab, slope, azimuth, mu, 0.2)
            steps(sim, 50)
            before, start = world_velocity(sim)[:3], sim.time
            steps(sim, 100)
            change = (world_velocity(sim)[:3] - before) / (sim.time - start)
            where = f"mu = {mu:g}, {np.degrees(azimuth):.0f} deg"
            yield Measure(f"acceleration down, {where}", "m/s^2", float(change @ down), a, 1e-3 * G)


CHECK = Check(
    "slope_slide",
    "Slope above the angle of friction",
    run,
    needs=(friction, tilted, slides, isotropic),
)

"""A ball that starts sliding and then rolls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import friction, isotropic, slides
from footfall_validate.lab import G, Lab, world_velocity
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.shapes import ball

MU, SPEED, RADIUS, DT = 0.3, 2.0, 0.1, 1e-3


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with the speed ``5/7 v0`` from ``t = 2 v0 / (7 mu g)`` on (Coulomb's law).

    The slip falls as ``v0 - 7/2 mu g t``, to 1 % at 0.99 of that time; the tolerance is two steps.
    Springs along the ground need their depth over v0 longer to be stretched.
    """
    for degrees in (0.0, 45.0, 140.0):
        d = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        start = (0, 0, RADIUS - lab.rest_depth(G))
        sim = lab.simulator(ball(1.0, RADIUS).at(start, linear=(*(SPEED * d), 0)), mu=MU, dt=DT)
        rolls, times, slips = np.inf, [0.0], [SPEED]
        for _ in range(500):
            sim.step()
            v = world_velocity(sim)
            slip = float(np.hypot(v[0] - RADIUS * v[4], v[1] + RADIUS * v[3]))
            times.append(sim.time)
            slips.append(slip)
            if slip < 0.01 * SPEED and not np.isfinite(rolls):
                rolls = sim.time
        where = f"{degrees:.0f} deg"
        end = 0.99 * 2.0 * SPEED / (7.0 * MU * G)
        settles = 2.0 * DT + lab.rest_depth(G) / SPEED
        yield Measure(f"end of slip, {where}", "s", rolls, end, settles)
        speed, rolling = float(v[:2] @ d), 5.0 / 7.0 * SPEED
        yield Measure(f"speed, {where}", "m/s", speed, rolling, 1e-6 * rolling + lab.accuracy)
        if degrees == 45.0:
            yield trace("rolling_slip", times, slips)


CHECK = Check("rolling_ball", "Ball launched sliding", run, needs=(friction, slides, isotropic))

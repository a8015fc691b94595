"""A flat landing with a velocity along the ground."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import isotropic_impacts, rigid, slides, unilateral
from footfall_validate.lab import Lab, steps, world_velocity
from footfall_validate.laws.check import Check, Measure
from footfall_validate.shapes import ball

DOWNWARD, ALONG = 1.0, 3.0
"""Speeds before the impact, [m/s]."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with ``|v_t+| = |v_t-| - mu |v_n-|`` for a ball that slides through its impact.

    The impact is plastic, without gravity: the impulses are ``m |v_n-|`` and mu times that (Routh,
    Dynamics of a System of Rigid Bodies, part I, chapter V). The ball slides as long as
    ``|v_t-| > 7/2 mu |v_n-|``; else it rolls with ``5/7 |v_t-|``.
    """
    for mu in (0.0, 0.3, 1.0):
        for azimuth in np.radians([0.0, 30.0, 45.0]):
            d = np.array([np.cos(azimuth), np.sin(azimuth)])
            body = ball().at((0, 0, 0.1103), linear=(*(ALONG * d), -DOWNWARD))
            sim = lab.simulator(body, mu=mu, gravity=np.zeros(3))
            steps(sim, 30)
            left = max(ALONG - mu * DOWNWARD, 5.0 / 7.0 * ALONG)
            where = f"mu = {mu:g}, {np.degrees(azimuth):.0f} deg"
            v = world_velocity(sim)
            yield Measure(f"speed left, {where}", "m/s", float(v[:2] @ d), left, 1e-3)
            yield Measure(f"rebound, {where}", "m/s", float(v[2]), 0.0, 1e-3)


CHECK = Check(
    "oblique_impact",
    "Landing with a speed along the ground",
    run,
    needs=(unilateral, rigid, slides, isotropic_impacts),
    about="impact",
)

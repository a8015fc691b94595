"""Rods on their tips in random states, at a friction that defeats local solvers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.checks.friction.painleve import rod_on_its_tip
from footfall_validate.claims import exact, velocities
from footfall_validate.lab import Lab, steps
from footfall_validate.laws.check import Check, Measure

MU, STATES, STEPS = 10.0, 100, 80


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with Coulomb's law at mu 10: zero residual, and no penetration of the tip.

    100 rods in random states, for 80 ms each. The tip of a rod that turns with w moves on a circle,
    so a step of velocities leaves a penetration of ``L (w dt)^2 / 4``, with rates of up to 30
    rad/s.
    """
    rng = np.random.default_rng(4)
    residual = depth = 0.0
    for _ in range(STATES):
        theta, yaw = rng.uniform(0.05, 1.5), rng.uniform(0.0, 2.0 * np.pi)
        v, w = rng.normal(scale=3.0, size=3), rng.normal(scale=5.0, size=3)
        sim = rod_on_its_tip(lab, theta, v, w, MU, yaw)
        steps(sim, STEPS)
        residual = max(residual, sim.stepper.monitor.worst_residual)
        depth = max(depth, sim.stepper.monitor.worst_penetration)
    bound = lab.laws.contact.claims.residual
    allowed = 1e-6 if bound is None else float(bound)
    yield Measure("natural-map residual", "m/s", residual, 0.0, allowed)
    yield Measure("depth of the tip", "m", depth, 0.0, 0.25 * (30.0 * 1e-3) ** 2)


CHECK = Check("random_rods", "Rods in random states at mu 10", run, needs=(velocities, exact))

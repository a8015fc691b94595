"""A block that rocks from one corner to the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import rigid, unilateral
from footfall_validate.lab import G, Lab
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import rotation_matrix, rotation_quaternion
from footfall_validate.shapes import Shape, points, rigid_model

R = 0.5
"""Distance from the mass centre to a corner, [m]."""
J = R**2 / 3.0
"""Inertia of a block with little depth about its mass centre, for 1 kg, [kg m^2]."""
DT = 1e-4
JUMP = 3.0
"""Multiple of gravity's change of the rate in a step beyond which a jump is an impact."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with ``omega+ / omega- = 1 - 3/2 sin^2 a`` (Housner 1963; tan a = width / height).

    It holds for mu >= 0.6, a <= 30 deg. The impact takes up to two steps, in which gravity still
    turns the block. So the error is up to ``2 g R sin(a) / (J + R^2) dt / omega-`` = 1.5e-3.
    """
    for degrees in (5.0, 15.0, 30.0):
        a = np.radians(degrees)
        expected = 1.0 - 1.5 * np.sin(a) ** 2
        ratio = impact_ratio(lab, a, 0.8, DT)
        yield Measure(f"omega+ / omega-, a = {degrees:.0f} deg", "", ratio, expected, 1.5e-3)


def impact_ratio(lab: Lab, a: float, mu: float, dt: float) -> float:
    """Return omega+ / omega- of a block with half-diagonal angle a that falls on its other corner.

    The rates before and after are extrapolated to the jump by straight lines through ten steps
    each. NaN if there is no jump within 2 s.
    """
    b, h = R * np.sin(a), R * np.cos(a)
    block = Shape(rigid_model(1.0, (J, J, J)), points([(b, 0, -h), (-b, 0, -h)]))
    tilted = rotation_quaternion((0, 0.3 * a, 0))
    pivot = rotation_matrix(tilted) @ (b, 0, -h)
    sim = lab.simulator(block.at(-pivot, tilted), mu=mu, dt=dt)
    usual = G * R * np.sin(a) / (J + R**2) * dt
    rates: list[float] = []
    jump = 0
    while sim.time < 2.0 and not (jump and len(rates) >= jump + 12):
        sim.step()
        rates.append(float(sim.v[4]))
        if not jump and len(rates) > 20 and abs(rates[-1] - rates[-2]) > JUMP * usual:
            jump = len(rates) - 1
    if len(rates) < jump + 12 or not jump:
        return float("nan")
    steps = np.arange(len(rates)) - jump
    before, after = slice(jump - 11, jump - 1), slice(jump + 2, jump + 12)
    earlier = np.polyfit(steps[before], rates[before], 1)
    later = np.polyfit(steps[after], rates[after], 1)
    return float(later[1] / earlier[1])


CHECK = Check(
    "rocking_block",
    "Rocking block on its other corner",
    run,
    needs=(unilateral, rigid),
    about="impact",
)

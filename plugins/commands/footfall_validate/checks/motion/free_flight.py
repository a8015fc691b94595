"""Free flight of a tumbling body."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.lab import DOWN, G, Lab, steps, world_velocity
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import rotation_matrix
from footfall_validate.shapes import box

LINEAR, ANGULAR = np.array([1.0, 2.0, 3.0]), np.array([3.0, -4.0, 2.0])
DURATION, DT = 0.5, 1e-3
ROUNDING = 1e-9
"""Relative error of Runge-Kutta schemes at their default tolerances of 1e-8 and less."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with ``c = c0 + v0 t + g t^2 / 2``, ``v = v0 + g t``, ``L = const`` (Newton, Euler).

    A scheme of first order in flight may be off by ``g t dt / 2`` in position. Time stepping moves
    a rigid body by its momentum, which is exact to rounding.
    """
    shape = box(1.3, (0.3, 0.2, 0.1))
    inertia = shape.model.link_inertia[0]
    sim = lab.simulator(shape.at((0, 0, 5), linear=LINEAR, angular=ANGULAR), dt=DT)
    steps(sim, round(DURATION / DT))
    once, first = lab.laws.steps_once, lab.laws.flight_order == 1
    v, R = world_velocity(sim), rotation_matrix(sim.q[3:7])
    parabola = np.array([0.0, 0.0, 5.0]) + LINEAR * DURATION + 0.5 * DOWN * DURATION**2
    off = float(np.abs(sim.q[:3] - parabola).max())
    allowed = 0.5 * G * DURATION * DT if first else (0.0 if once else 1e-7)
    yield Measure("distance from the parabola", "m", off, 0.0, allowed + ROUNDING)
    off = float(np.abs(v[:3] - (LINEAR + DOWN * DURATION)).max())
    yield Measure("error of the velocity", "m/s", off, 0.0, ROUNDING if once else 1e-7)
    before = float(np.linalg.norm(inertia @ ANGULAR))
    change = float(np.linalg.norm(R @ inertia @ R.T @ v[3:] - inertia @ ANGULAR)) / before
    yield Measure("change of the angular momentum", "", change, 0.0, 1e-12 if once else 1e-6)


CHECK = Check("free_flight", "Free flight of a tumbling body", run, about="motion")

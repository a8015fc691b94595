"""The force at which a resting box starts to slip."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_stepper.api import StepperSimulator
from footfall_validate.claims import friction, isotropic
from footfall_validate.lab import G, Lab, steps
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.rotations import rotation_matrix, rotation_quaternion
from footfall_validate.shapes import box

MASS, MU = 1.2, 0.5
DEGREES = np.arange(0.0, 91.0, 15.0)
HALVINGS = 9


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with the force ``mu m g`` in every direction (Coulomb's law).

    The box moves if, after 0.3 s of pull at its mass centre, it is faster than the law's declared
    creep and does not slow down: springs loaded at once overshoot and slip before they hold. The
    force is found by bisection to 0.1 %.
    """
    depth = lab.rest_depth(MASS * G / 4.0)
    body = box(MASS, (0.2, 0.1, 0.06)).at((0, 0, 0.03 - depth), rotation_quaternion((0, 0, 0.3)))
    sim = lab.simulator(body, mu=MU)
    steps(sim, 50)
    ratios = [threshold(lab, sim, angle) for angle in np.radians(DEGREES)]
    for degrees, ratio in zip(DEGREES, ratios, strict=True):
        yield Measure(f"force over mu m g, {degrees:.0f} deg", "", ratio, 1.0, 2e-3)
    yield trace("slip_threshold", DEGREES, ratios)


def threshold(lab: Lab, sim: StepperSimulator, azimuth: float) -> float:
    """Return the force that moves a resting box, divided by mu m g."""
    low, high = 0.9, 1.9
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _moves(lab, sim, middle, azimuth):
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def _moves(lab: Lab, sim: StepperSimulator, factor: float, azimuth: float) -> bool:
    before = sim.state.copy()
    force = factor * MU * MASS * G * np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    sim.stepper.world.joints.external[:3] = rotation_matrix(sim.q[3:7]).T @ force
    steps(sim, 300)
    earlier, later = (_mean_speed(sim, 50) for _ in range(2))
    sim.stepper.world.joints.external[:3] = 0.0
    sim.state.restore(before)
    return later > lab.laws.creep + 2e-4 and later >= earlier


def _mean_speed(sim: StepperSimulator, n: int) -> float:
    start = sim.q[:2].copy()
    steps(sim, n)
    return float(np.linalg.norm(sim.q[:2] - start)) / (n * sim.time_step)


CHECK = Check("slip_threshold", "Force at which a box slips", run, needs=(friction, isotropic))

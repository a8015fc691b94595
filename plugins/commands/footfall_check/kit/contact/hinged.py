"""A closed loop in a simulation: a flap on a hinge falls on the ground and rests on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.plugin import Floats
from footfall.testing.check import Finding, Subject, within, worst
from footfall.testing.problems.cases import GRAVITY
from footfall_check.kit.bench import HALF, UP, Start, advance, corners, free_body, settle, simulator
from footfall_stepper.api import WORLD, Loop, LoopEnd, StepperSimulator

OPEN = 0.3
"""Start angle of the flap, [rad]."""
STEPS = 400
"""Steps in which it falls (after 0.2 s) and comes to rest."""
GAP = 1e-6
"""Largest gap of the hinge, [m]."""
BALANCE = 1e-9
"""Largest difference of the forces and the change of momentum, relative to the largest."""


def hinged(subject: Subject) -> Finding:
    """Check that a falling hinged flap comes to rest: loop closed, forces right, no energy gain."""
    return worst([*_falls(subject), *_rests(subject)])


def _flap(subject: Subject, angle: float) -> StepperSimulator:
    """Return a box hinged to the world along its lower left edge, open by an angle."""
    edge = np.array([-HALF[0], 0.0, -HALF[2]])
    R = Rotation.from_rotvec([0.0, -angle, 0.0]).as_matrix()
    start = Start(-R @ edge, R, np.zeros(3), np.zeros(3))
    features = [feature for feature in corners() if feature.position[0] > 0.0]
    ends = [np.array([-HALF[0], side * HALF[1], -HALF[2]]) for side in (1.0, -1.0)]
    loops = tuple(
        Loop(
            f"hinge{i}",
            "point",
            (LoopEnd(WORLD, np.eye(3), start.position + R @ end), LoopEnd(0, np.eye(3), end)),
        )
        for i, end in enumerate(ends)
    )
    return simulator(
        [replace(free_body("flap", start, features), loops=loops)], contact=subject.make()
    )


def _falls(subject: Subject) -> Iterator[Finding]:
    """Yield the findings of the fall and the landing, over every step."""
    sim = _flap(subject, OPEN)
    advance(sim, 1)
    highest = first = _energy(sim)
    gap = off = largest = 0.0
    for _ in range(STEPS):
        before = _momentum(sim)
        sim.step()
        change = (_momentum(sim) - before) / sim.time_step
        force = _forces(sim)
        off = max(off, float(np.abs(change - force).max()))
        largest = max(largest, float(np.abs(force).max()), GRAVITY)
        gap = max(gap, float(np.abs(sim.signal("loop_gap")).max()))
        highest = max(highest, _energy(sim))
    yield within("falling: gap of the hinge [m]", gap, GAP)
    yield within("falling: forces beside the change of momentum, relative", off / largest, BALANCE)
    yield within("falling: gain of energy, relative", (highest - first) / GRAVITY / HALF[0], 1e-3)


def _rests(subject: Subject) -> Iterator[Finding]:
    """Yield the finding at rest: the ground carries half the weight, by the lever law."""
    sim = _flap(subject, 0.0)
    settle(sim, STEPS)
    advance(sim, 1)
    carried = float(sim.world.candidates.force[:, 2].sum())
    sunk = max(0.0, float(-sim.world.candidates.gap.min())) / (2.0 * HALF[0])
    error = abs(carried / (0.5 * GRAVITY) - 1.0)
    yield within("resting: error over half the weight", error, 1e-4 + sunk)


def _energy(sim: StepperSimulator) -> float:
    """Return the mechanical energy at the start of the last step, [J]."""
    return float(sim.signal("kinetic_energy") + sim.signal("potential_energy"))


def _momentum(sim: StepperSimulator) -> Floats:
    """Return the linear momentum for a mass of 1 kg, [N s], world."""
    momentum: Floats = Rotation.from_quat(sim.q[3:7]).as_matrix() @ sim.v[:3]
    return momentum


def _forces(sim: StepperSimulator) -> Floats:
    """Return the sum of hinge, ground and weight over the last step, [N], world."""
    hinge = sim.signal("loop_force").reshape(-1, 3).sum(axis=0)
    ground = sim.world.candidates.force.sum(axis=0)
    total: Floats = hinge + ground - GRAVITY * UP
    return total

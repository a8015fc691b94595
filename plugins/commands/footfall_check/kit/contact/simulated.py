"""Checks that need a simulation: restoring in mid-contact, rebounds, the weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import Simulator
from footfall.api.advanced import ContactModel
from footfall.api.plugin import Capability, Floats
from footfall.testing.check import Finding, Subject, within, worst
from footfall.testing.problems.cases import GRAVITY, contact_frame
from footfall_check.kit.bench import (
    HALF,
    RADIUS,
    UP,
    Slope,
    advance,
    at_rest,
    corners,
    free_body,
    settle,
    simulator,
    sphere,
)
from footfall_check.kit.contact.usual import accuracy
from footfall_stepper.api import StepperSimulator

STEPS = 60
"""Steps before a state is saved, and after it."""
HOPS = 1000
"""Largest number of further steps until contact."""
DROP = 0.02
"""Drop height of balls, [m]."""
TILTED = np.array([0.12, -0.09, 1.0])
"""Normal of a slope on which nothing slides down at mu = 0.5."""


def restore(subject: Subject) -> Finding:
    """Check that a simulation restored in mid-contact continues bit for bit."""
    return continuation(lambda: _tumbling(subject))


def continuation(make: Callable[[], Simulator]) -> Finding:
    """Compare a simulation with its continuation in the same and in a fresh simulator.

    Args:
        make: returns a fresh simulator, every object in it new. After ``STEPS`` steps, or at most
            ``HOPS`` more if a law makes bodies hop, something must be in contact.
    """
    whole = make()
    advance(whole, STEPS)
    for _ in range(HOPS):
        if whole.state["touching"].any():
            break
        whole.step()
    middle = whole.state.copy()
    if not middle["touching"].any():
        return Finding(False, "no point was in contact when the state was taken")
    advance(whole, STEPS)
    expected = whole.state.copy()
    for title, again in (("a fresh simulator", make()), ("the same simulator", whole)):
        again.state.restore(middle)
        advance(again, STEPS)
        if again.state.vector.tobytes() != expected.vector.tobytes():
            away = float(np.abs(again.state.vector - expected.vector).max())
            return Finding(False, f"{title} goes on differently, by up to {away:.1e}")
    return Finding(True, f"{STEPS} steps before and after, same bits")


def _tumbling(subject: Subject) -> StepperSimulator:
    """Return boxes that slide, and boxes that fall on an edge while spinning."""
    slides = replace(at_rest(float(HALF[2]), yaw=0.3), linear=np.array([1.0, 0.4, 0.0]))
    falls = replace(
        at_rest(0.16),
        position=np.array([1.0, 0.0, 0.16]),
        rotation=contact_frame(np.array([0.6, 0.3, 1.0])).T,
        linear=np.array([0.3, -0.2, -1.5]),
        angular=np.array([2.0, -1.0, 0.5]),
    )
    bodies = [free_body("slides", slides, corners())]
    if subject.role != "contact" or subject.can(Capability.SEVERAL_BODIES):
        bodies.append(free_body("falls", falls, corners()))
    bounces = 0.4 if subject.can(Capability.RESTITUTION) else 0.0
    parts: dict[str, Any] = {"terrain": Slope(restitution=bounces), subject.role: subject.make()}
    return simulator(bodies, **parts)


def bounce(subject: Subject) -> Finding:
    """Check that a ball dropped from h rises to e^2 h."""
    subject.require(Capability.RESTITUTION)
    return worst(_bounce(subject, e) for e in (0.0, 0.5, 0.9))


def _bounce(subject: Subject, e: float) -> Finding:
    ball = free_body("ball", at_rest(RADIUS + DROP), sphere())
    sim = simulator([ball], contact=subject.make(), terrain=Slope(restitution=e))
    fall = np.sqrt(2.0 * DROP / GRAVITY)
    advance(sim, int(fall / sim.time_step) + 2)
    highest = 0.0
    for _ in range(int(1.1 * e * fall / sim.time_step) + 1):
        sim.step()
        highest = max(highest, float(sim.q[2]) - RADIUS)
    error = abs(highest / DROP - e**2)
    return within(f"e = {e:g}: error of h1 / h0", error, 0.01 * max(e**2, 0.01))


def weight(subject: Subject) -> Finding:
    """Check that a body at rest stays at rest, with forces that sum to its weight, upwards."""
    tilts = [UP, TILTED] if subject.can(Capability.TILTED_TERRAIN) else [UP]
    return worst(finding for normal in tilts for finding in _weight(subject, normal))


def _weight(subject: Subject, normal: Floats) -> list[Finding]:
    """Return the findings on forces and on speeds: a sinking body also has its weight carried."""
    sim = resting(subject.make(), normal)
    settle(sim)
    advance(sim, 1)
    force = sim.world.candidates.force.sum(axis=0) / (sim.world.mass * GRAVITY)
    error, speed = float(np.abs(force - UP).max()), float(np.linalg.norm(sim.v[:3]))
    tilt = np.degrees(np.arccos(normal[2] / np.linalg.norm(normal)))
    where = f"ground tilted by {tilt:.0f} deg"
    return [
        within(f"{where}: error over the weight", error, 1e-4),
        within(f"{where}: speed [m/s]", speed, subject.claims.creep + accuracy(subject)),
    ]


def resting(law: ContactModel, normal: Floats, mu: float = 0.5) -> StepperSimulator:
    """Return a box that rests on a plane, turned about the normal by 0.3 rad."""
    box = free_body("box", at_rest(float(HALF[2]), normal, yaw=0.3), corners())
    return simulator([box], contact=law, terrain=Slope(normal, mu))

"""The landing tip of a double pendulum: one impact, one impulse."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import rigid, slides, unilateral
from footfall_validate.exhibits.double_pendulum import (
    LENGTH,
    DoublePendulum,
    Pair,
    landed,
    pendulum,
    tip,
    tip_velocity,
)
from footfall_validate.lab import Lab, steps
from footfall_validate.laws.check import Check, Measure

STATES = 40
SLOWEST = 0.3
"""Least approach velocity of the tip, [m/s]."""
PHASES = np.linspace(0.0, 0.9, 10)
COARSE, FINE = 1e-4, 5e-5
"""Time steps, [s]."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the exact motion, with Coulomb's law in the impact.

    The tip of a planar double pendulum (two uniform rods) lands without restitution, in 40 random
    states, with the impact at ten places in a step. A scheme of velocities may lag by a step, in
    which smooth motion with contact forces changes the velocity by up to 1e-3 of it. Beyond that
    the error is at most 1e-3 of ``|v|`` at 0.1 ms, and half the step halves the whole error. A law
    that first closes the gap and stops the rest in the next step acts twice in one impact, and is
    off by up to twice ``|v|`` at any step.
    """
    for mu in (0.2, 0.5, 1.0):
        states = list(_landing(mu))
        beyond, coarse = _worst(lab, mu, states, COARSE)
        yield Measure(f"error / |v|, mu = {mu:g}", "", beyond, 0.0, 1e-3)
        _, fine = _worst(lab, mu, states, FINE)
        yield Measure(f"share of it with half the step, mu = {mu:g}", "", fine / coarse, 0.5, 0.1)


def _landing(mu: float) -> Iterator[tuple[Pair, Pair]]:
    """Yield random states whose tip approaches the ground."""
    rng, found = np.random.default_rng(round(10 * mu)), 0
    while found < STATES:
        (a, b), (c, d) = rng.uniform(-2.0, 2.0, 2), rng.normal(scale=3.0, size=2)
        q, v = (float(a), float(b)), (float(c), float(d))
        if tip_velocity(q, v)[1] < -SLOWEST:
            found += 1
            yield q, v


def _worst(lab: Lab, mu: float, states: list[tuple[Pair, Pair]], dt: float) -> tuple[float, float]:
    """Return the worst errors of the velocity after the impact, relative to that before.

    The first is the error beyond a step of the smooth motion after the impact, the second all of
    it.
    """
    body = pendulum((0.0, 0.0), (0.0, 0.0), 3.0 * LENGTH)
    sim, tree = lab.simulator(body, mu=mu, dt=dt), body.tree
    assert isinstance(tree, DoublePendulum)
    start, beyond, worst = sim.state.vector.copy(), 0.0, 0.0
    for q, v in states:
        approach, low, speed = -tip_velocity(q, v)[1], tip(q)[1], np.hypot(*v)
        for phase in PHASES:
            gap = float(phase) * approach * dt
            sim.state.assign(start)
            sim.q[:], sim.v[:] = q, v
            tree.height = gap - low
            sim.observe_start()
            steps(sim, 2)
            before, right = (np.array(landed(q, v, low - gap, n * dt, mu)) for n in (1, 2))
            error, step = (float(np.linalg.norm(x - right) / speed) for x in (sim.v, before))
            beyond, worst = max(beyond, error - step), max(worst, error)
    return beyond, worst


CHECK = Check(
    "pendulum_landing",
    "Landing tip of a double pendulum",
    run,
    needs=(unilateral, rigid, slides),
    about="impact",
)

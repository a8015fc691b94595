"""A ball that spins, rolls and rests with torsional and rolling friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import friction, moments, tilted
from footfall_validate.lab import G, Lab, steps, world_velocity
from footfall_validate.laws.check import Check, Measure

MU, RADIUS, DT = 0.5, 0.1, 1e-3
SPIN, TORSION = 10.0, 2e-3
ROLLING, SPEED = 3e-3, 2.0


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with spin time ``2 r^2 w / (5 g b)``, braking ``5 g c / (7 r)``, and slope of rest.

    The lengths b and c are torsional and rolling friction [m]. The ball creeps, so it slows less
    when rolling, by a share of second order in ``c / (mu r)``. It rests on slopes below
    ``tan(theta) = (c / r) / sqrt(1 + (c / (mu r))^2)``. On a slope 1 %
    steeper it rolls off, with 5/7 of the unbalanced part of gravity along the plane.
    """
    sim = lab.scene("ball/rolling", **_ball(torsional_friction=TORSION, spin=SPIN))
    lasts = 2.0 * RADIUS**2 * SPIN / (5.0 * G * TORSION)
    while sim.time < 2.0 * lasts and world_velocity(sim)[5] > 1e-9:
        sim.step()
    yield Measure("end of spin", "s", sim.time, lasts, 2.0 * DT)

    sim = lab.scene("ball/rolling", **_ball(rolling_friction=ROLLING, speed=SPEED))
    steps(sim, 200)
    before = world_velocity(sim)[0]
    steps(sim, 400)
    slowed, plain = (before - world_velocity(sim)[0]) / 0.4, 5.0 * G * ROLLING / (7.0 * RADIUS)
    second = plain * (ROLLING / (MU * RADIUS)) ** 2
    yield Measure("deceleration of rolling", "m/s^2", slowed, plain, second)

    share = ROLLING / RADIUS
    steepest = share / np.sqrt(1.0 + (share / MU) ** 2)
    for part in (0.99, 1.01):
        angle = np.arctan(part * steepest)
        down = [G * np.sin(angle), 0.0, -G * np.cos(angle)]
        keys = _ball(rolling_friction=ROLLING) | {"world.gravity": down}
        sim = lab.scene("ball/rolling", **keys)
        steps(sim, 500)
        way = sim.q[0]
        if part < 1.0:
            yield Measure("way on a slope it stays on", "m", way, 0.0, lab.accuracy)
        else:
            free = 0.5 * 5.0 / 7.0 * G * (np.sin(angle) - np.sin(np.arctan(steepest))) * 0.25
            yield Measure("way on a slope 1 % steeper", "m", way, free, 0.02 * free)


def _ball(speed: float = 0.0, spin: float = 0.0, **lengths: float) -> dict[str, object]:
    """Return the keys of a ball that rolls along x and spins about the normal."""
    return {
        "world.terrain.friction": MU,
        "simulation.time_step": DT,
        "bodies.ball.base_linear_velocity": [speed, 0.0, 0.0],
        "bodies.ball.base_angular_velocity": [0.0, speed / RADIUS, spin],
        **{f"bodies.ball.{key}": length for key, length in lengths.items()},
    }


CHECK = Check(
    "friction_moments", "Ball that spins, rolls and rests", run, needs=(friction, tilted, moments)
)

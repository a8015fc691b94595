"""Torque-free rotation of an asymmetric body."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ellipk

from footfall.api.plugin import Floats
from footfall_validate.lab import Lab
from footfall_validate.laws.check import Check, Measure
from footfall_validate.shapes import Shape, rigid_model

INERTIA = np.array([0.010, 0.018, 0.025])
"""Principal moments I1 < I2 < I3, [kg m^2]."""
START = np.array([2.0, 0.0, 5.0])
"""Angular velocity in the body frame, [rad/s]; as L^2 > 2 E I2, it circles the third axis."""
DT = 1e-3


def period() -> float:
    """Return the period of the angular velocity: ``4 K(m) sqrt(I1 I2 I3 / ...)``, [s]."""
    I1, I2, I3 = INERTIA
    twice_energy, square = INERTIA @ START**2, INERTIA**2 @ START**2
    m = (I2 - I1) * (twice_energy * I3 - square) / ((I3 - I2) * (square - twice_energy * I1))
    scale = I1 * I2 * I3 / ((I3 - I2) * (square - twice_energy * I1))
    return float(4.0 * ellipk(m) * np.sqrt(scale))


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the elliptic integral, constant energy and constant angular momentum.

    Landau and Lifshitz, Mechanics, section 37, equation (37.12). A scheme of first order in flight
    may be off by ``dt |w|`` in the period and by ``dt |w|^2 t / 2`` in the energy, relative. Time
    stepping keeps the angular momentum to rounding, and the energy too if it uses means of both
    ends.
    """
    w = tumble(lab, DT, 1.2 * period())
    once, first = lab.laws.steps_once, lab.laws.flight_order == 1
    error = measured_period(w, DT) / period() - 1.0
    allowed = DT * float(np.linalg.norm(START)) * period() if first else 1e-5
    yield Measure("period", "s", period() * (1.0 + error), period(), allowed)
    exact = 1e-12 if once else 1e-6
    drift = 0.5 * DT * float(START @ START) * 1.2 * period() if first else exact
    for what, values, allowed in (
        ("energy", w**2 @ INERTIA, drift),
        ("norm of the angular momentum", np.linalg.norm(w * INERTIA, axis=1), exact),
    ):
        change = float(np.abs(values / values[0] - 1.0).max())
        yield Measure(f"drift of the {what}", "", change, 0.0, allowed)


def tumble(lab: Lab, dt: float, duration: float) -> Floats:
    """Return the angular velocity in the body frame, (n, 3), [rad/s]."""
    shape = Shape(rigid_model(1.0, INERTIA), [])
    sim = lab.simulator(shape.at((0, 0, 0), angular=START), dt=dt, gravity=np.zeros(3))
    history = [sim.v[3:].copy()]
    for _ in range(round(duration / dt)):
        sim.step()
        history.append(sim.v[3:].copy())
    return np.array(history)


def measured_period(w: Floats, dt: float) -> float:
    """Return twice the mean time between zeros of the second component, by interpolation, [s]."""
    x = w[1:, 1]
    crossed = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    times = (crossed + x[crossed] / (x[crossed] - x[crossed + 1])) * dt
    return float(2.0 * np.diff(times).mean())


CHECK = Check("torque_free", "Torque-free asymmetric body", run, about="motion")

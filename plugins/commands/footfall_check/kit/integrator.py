"""The checks of integrators."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.plugin import Floats
from footfall.api.world import Continuous, OneStep
from footfall.testing.check import Finding, NotApplicable, Subject, checks_of, within
from footfall.testing.declarations import declared, plugin_mistakes
from footfall_check.kit.bench import Start, advance, free_body, simulator
from footfall_check.kit.contact import simulated

DURATION = 0.1
COARSE = 2e-3
"""Longest of the three compared time steps, [s]."""
LONG = 1e-2
"""The same for schemes of continuous time, [s]."""
KEPT = 1e-9
"""Error below which a scheme of continuous time counts as exact: it keeps a tolerance."""
MISSING = 0.1
"""Largest shortfall of the measured order from the declared one."""
MASS, COM = 1.3, np.array([0.05, -0.08, 0.1])
INERTIA = np.diag([0.01, 0.02, 0.026])
START = Start(
    np.array([0.2, -0.1, 1.0]),
    Rotation.from_rotvec([0.4, -0.8, 0.3]).as_matrix(),
    np.array([0.5, 0.2, 1.0]),
    np.array([4.0, -6.0, 5.0]),
)
"""A body that does not spin about a principal axis, its centre of mass off its origin."""
GRAVITY = np.array([0.5, -1.0, -9.0])


def declarations(subject: Subject) -> Finding:
    """Check that the declarations of the class are well formed."""
    mistakes = plugin_mistakes(subject.cls)
    if not (isinstance(subject.cls.order, int) and subject.cls.order >= 1):
        mistakes.append("order must be a whole number of at least 1")
    return declared(mistakes)


def weight(subject: Subject) -> Finding:
    """Check that the weight of the new velocity is between 0 and 1, and does not change."""
    if not issubclass(subject.cls, OneStep):
        raise NotApplicable("is not a OneStep scheme")
    integrator: OneStep = subject.make()
    found = [float(integrator.theta) for _ in range(3)]
    good = len(set(found)) == 1 and math.isfinite(found[0]) and 0.0 <= found[0] <= 1.0
    return Finding(good, f"theta = {found[0]:g}")


def order(subject: Subject) -> Finding:
    """Check that the error has the declared order, on a spinning body off its mass centre."""
    exact = spinning_body(DURATION, 4000)
    # Continuous schemes take long steps: with short ones the error is rounding only.
    coarse = LONG if issubclass(subject.cls, Continuous) else COARSE
    steps = [coarse, coarse / 2.0, coarse / 4.0]
    errors = [float(np.abs(_final(subject, dt) - exact).max()) for dt in steps]
    if errors[-1] < (KEPT if issubclass(subject.cls, Continuous) else 1e-11):
        return Finding(True, f"exact: error {errors[-1]:.1e}")
    found = math.log2(errors[1] / errors[2])
    shown = ", ".join(f"{error:.2e}" for error in errors)
    missing = float(subject.cls.order) - found
    return within(f"order {found:.3f} from errors {shown}; missing", missing, MISSING)


def free_fall(subject: Subject) -> Finding:
    """Check that a body that spins about its origin has the exact velocity in free fall."""
    allowed = KEPT if issubclass(subject.cls, Continuous) else 1e-10
    body = free_body("body", START, (), mass=MASS, inertia=INERTIA)
    sim = simulator([body], integrator=subject.make(), gravity=GRAVITY)
    advance(sim, 100)
    expected = START.rotation @ START.linear + sim.time * GRAVITY
    found = Rotation.from_quat(sim.q[3:7]).apply(sim.v[:3])
    error = float(np.abs(found - expected).max())
    return within("error after 0.1 s [m/s]", error, allowed)


def rest(subject: Subject) -> Finding:
    """Check that a body at rest without gravity keeps its position, bit for bit."""
    still = Start(START.position, START.rotation, np.zeros(3), np.zeros(3))
    body = free_body("body", still, (), mass=MASS, com=COM, inertia=INERTIA)
    sim = simulator([body], integrator=subject.make(), gravity=np.zeros(3))
    advance(sim, 1)
    before = sim.q.tobytes()
    advance(sim, 50)
    return Finding(sim.q.tobytes() == before, "positions after 50 steps")


def _final(subject: Subject, time_step: float) -> Floats:
    body = free_body("body", START, (), mass=MASS, com=COM, inertia=INERTIA)
    sim = simulator([body], integrator=subject.make(), gravity=GRAVITY, time_step=time_step)
    advance(sim, round(DURATION / time_step))
    return _state(sim.q[:3], Rotation.from_quat(sim.q[3:7]), sim.v)


def _state(position: Floats, R: Rotation, v: Floats) -> Floats:
    """Return position, rotation matrix and world velocities in one vector."""
    turned = [R.apply(v[:3]), R.apply(v[3:])]
    return np.concatenate([position, R.as_matrix().ravel(), *turned])


@cache
def spinning_body(duration: float, steps: int = 400) -> Floats:
    """Return the spinning body's state from Euler's equations, by fourth-order Runge-Kutta.

    The centre of mass follows a parabola; ``I dw/dt = -w x I w`` in the body's axes, and the
    rotation is integrated as a matrix. Its own error is about 1e-12.
    """
    R, w, dt = START.rotation.copy(), START.angular.copy(), duration / steps
    for _ in range(steps):
        k = [_rate(R, w)]
        for part in (0.5, 0.5, 1.0):
            k.append(_rate(R + part * dt * k[-1][0], w + part * dt * k[-1][1]))
        R = R + dt / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0])
        w = w + dt / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1])
    com = START.position + START.rotation @ COM
    speed = START.rotation @ (START.linear + np.cross(START.angular, COM))
    com = com + duration * speed + 0.5 * duration**2 * GRAVITY
    linear = R.T @ (speed + duration * GRAVITY) - np.cross(w, COM)
    return _state(com - R @ COM, Rotation.from_matrix(R), np.concatenate([linear, w]))


def _rate(R: Floats, w: Floats) -> tuple[Floats, Floats]:
    skew = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    return R @ skew, np.asarray(np.linalg.solve(INERTIA, -np.cross(w, INERTIA @ w)), float)


CHECKS = checks_of("integrator", declarations, weight, order, free_fall, rest, simulated.restore)

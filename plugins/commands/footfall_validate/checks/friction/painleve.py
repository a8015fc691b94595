"""Painleve's rod: the tip jams if rigid sliding has no finite acceleration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from footfall_stepper.api import StepperSimulator
from footfall_validate.claims import exact, velocities
from footfall_validate.lab import DOWN, Lab, world_velocity
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import product, rotation_matrix, rotation_quaternion
from footfall_validate.shapes import Shape, points, rigid_model

HALF = 0.5
"""Half of the rod's length, [m]."""
ROD = Shape(rigid_model(1.0, (1 / 12, 1 / 12, 1e-3)), points([(HALF, 0, 0)]))
JAMMING = 5.0 / 3.0


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the impulse ``r = -W^-1 u_free``, which stops the tip.

    A uniform rod (m = 1, length 1) at an angle theta to the ground slides on its tip without
    turning. In the sliding mode the tip's normal acceleration per normal force is proportional to
    ``1 + 3 cos(theta) (cos(theta) - mu sin(theta))``. For mu = 5/3 this is negative between
    tan(theta) = 1 and 4: no force can hold a sliding tip (Painleve 1895; Acary and Brogliato 2008,
    section 5.5). A step of velocities has an answer: the tip jams, to the law's declared accuracy.
    """
    for tangent in (1.05, 2.0, 3.0, 3.95):
        for yaw in (0.0, 1.0):
            for speed in (0.1, 3.0):
                yield from _jammed(lab, float(np.arctan(tangent)), yaw, speed)


def _jammed(lab: Lab, theta: float, yaw: float, speed: float) -> Iterator[Measure]:
    forward = speed * np.array([np.cos(yaw), np.sin(yaw), 0.0])
    sim = rod_on_its_tip(lab, theta, forward, (0, 0, 0), JAMMING, yaw)
    R = rotation_matrix(sim.q[3:7])
    tip = R @ (HALF, 0, 0)
    cross = np.array([[0, -tip[2], tip[1]], [tip[2], 0, -tip[0]], [-tip[1], tip[0], 0]])
    W = np.eye(3) - cross @ R @ np.diag([12.0, 12.0, 1e3]) @ R.T @ cross
    expected = -np.linalg.solve(W, forward + DOWN * sim.time_step)[2]
    sim.step()
    v = world_velocity(sim)
    where = f"tan = {np.tan(theta):.2f}, yaw {yaw:g}, {speed:g} m/s"
    left = float(np.linalg.norm(v[:3] + np.cross(v[3:], tip)))
    yield Measure(f"speed of the tip, {where}", "m/s", left, 0.0, lab.accuracy)
    impulse = float(sim.signal("impulse")[0, 2])
    allowed = lab.accuracy / float(np.linalg.eigvalsh(W)[0])
    yield Measure(f"normal impulse, {where}", "N s", impulse, expected, allowed)


def rod_on_its_tip(
    lab: Lab,
    theta: float,
    linear: npt.ArrayLike,
    angular: npt.ArrayLike,
    mu: float,
    yaw: float = 0.0,
) -> StepperSimulator:
    """Return a rod whose tip touches the ground, below and in front of its mass centre.

    Args:
        lab: lab that composes the simulator.
        theta: angle to the ground, [rad].
        linear: velocity of the mass centre, (3,), world axes, [m/s].
        angular: angular velocity, (3,), world axes, [rad/s].
        mu: coefficient of friction.
        yaw: rotation about the vertical, [rad].
    """
    quaternion = product(rotation_quaternion((0, 0, yaw)), rotation_quaternion((0, theta, 0)))
    tip = rotation_matrix(quaternion) @ (HALF, 0, 0)
    return lab.simulator(ROD.at(-tip, quaternion, linear=linear, angular=angular), mu=mu)


CHECK = Check("painleve", "Painleve's rod jams", run, needs=(velocities, exact))

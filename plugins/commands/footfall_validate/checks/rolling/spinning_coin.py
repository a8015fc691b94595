"""A thin disc that spins on its rim."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.claims import friction
from footfall_validate.lab import UP, G, Lab
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import rotation_matrix, rotation_quaternion
from footfall_validate.shapes import coin

RADIUS = 0.05
"""Radius of the disc, [m]."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with ``precession^2 = 4 g / (R sin a)`` of a thin disc that rolls on the spot.

    With its plane at an angle a to the ground, the mass centre rests if the disc turns about the
    line from it to the contact point (Moffatt, Euler's disk and its finite-time singularity, Nature
    404, 2000). Within 1 % at 0.1 ms: the first order of the scheme over 0.3 s.
    """
    for degrees in (25.0, 45.0, 70.0):
        ratio, lean, shift = spin(lab, np.radians(degrees), 1e-4, 0.3)
        where = f"a = {degrees:.0f} deg"
        yield Measure(f"precession over its closed form, {where}", "", ratio, 1.0, 0.01)
        yield Measure(f"change of a, {where}", "rad", lean, 0.0, 0.01)
        allowed = 0.01 * RADIUS + lab.rest_depth(0.2 * G)
        yield Measure(f"way of the mass centre, {where}", "m", shift, 0.0, allowed)


def spin(lab: Lab, slope: float, dt: float, duration: float) -> tuple[float, float, float]:
    """Spin a disc on its rim.

    Returns:
        Ratio of the precession to its closed form, largest change of the angle [rad], largest
        displacement of the mass centre along the ground [m].
    """
    quaternion = rotation_quaternion((np.pi / 2 - slope, 0, 0))
    axis = rotation_matrix(quaternion)[:, 1]
    down = (UP @ axis) * axis - UP
    down /= np.linalg.norm(down)
    W = float(np.sqrt(4.0 * G / (RADIUS * np.sin(slope))))
    height = RADIUS * np.sin(slope) - lab.rest_depth(0.2 * G)
    body = coin(0.2, RADIUS).at((0, 0, height), quaternion, angular=-W * np.sin(slope) * down)
    sim = lab.simulator(body, mu=1.0, dt=dt)
    angle = change = shift = 0.0
    for _ in range(round(duration / dt)):
        before = axis
        sim.step()
        axis = rotation_matrix(sim.q[3:7])[:, 1]
        angle += np.arctan2(before[0] * axis[1] - before[1] * axis[0], before[:2] @ axis[:2])
        change = max(change, abs(float(np.arccos(np.clip(axis[2], -1.0, 1.0))) - slope))
        shift = max(shift, float(np.abs(sim.q[:2]).max()))
    return float(angle / (W * duration)), change, shift


CHECK = Check("spinning_coin", "Thin disc spinning on its rim", run, needs=(friction,))

"""The stopping distance of a sliding box."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.api.plugin import Floats
from footfall_validate.claims import friction, isotropic, slides
from footfall_validate.lab import G, Lab, steps
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.rotations import rotation_quaternion
from footfall_validate.shapes import box

MU, DT = 0.5, 1e-3
DIRECTIONS = np.radians(np.arange(0.0, 360.0, 45.0) + 7.5)
"""Directions between the axes and the diagonals of a pyramid, [rad]."""


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with the distance ``v0^2 / (2 mu g)``, straight ahead (Coulomb's law).

    The tolerance is ``v0 dt / 2``, since velocities are constant over a step, and 1e-4 of the
    distance. If points sink in, it also contains their depth, since they stretch about as far.
    """
    for speed in (0.5, 2.0):
        expected = speed**2 / (2.0 * MU * G)
        allowed = 0.5 * speed * DT + 1e-4 * expected + lab.rest_depth(G / 2.0)
        for direction in DIRECTIONS:
            along = np.array([np.cos(direction), np.sin(direction)])
            path = slide(lab, speed * along)
            where = f"{speed:g} m/s, {np.degrees(direction):.1f} deg"
            moved, aside = (
                float(path[-1] @ along),
                float(along[0] * path[-1, 1] - along[1] * path[-1, 0]),
            )
            yield Measure(f"distance, {where}", "m", moved, expected, allowed)
            yield Measure(f"way aside, {where}", "m", aside, 0.0, allowed)
            if speed == 2.0 and direction == DIRECTIONS[0]:
                turned = path @ np.column_stack([along, (-along[1], along[0])])
                yield trace("stopping_path", turned[:, 0], turned[:, 1])


def slide(lab: Lab, velocity: Floats) -> Floats:
    """Return the path of a flat sliding box, (n, 2), until 0.1 s after its stop, [m]."""
    body = box(1.0, (0.2, 0.2, 0.04)).at(
        (0, 0, 0.02 - lab.rest_depth(G / 4.0)),
        rotation_quaternion((0, 0, 0.2)),
        linear=(*velocity, 0.0),
    )
    sim = lab.simulator(body, mu=MU, dt=DT)
    path = [sim.q[:2].copy()]
    for _ in range(round((float(np.linalg.norm(velocity)) / (MU * G) + 0.1) / DT)):
        steps(sim, 1)
        path.append(sim.q[:2].copy())
    return np.array(path)


CHECK = Check("stopping", "Stopping distance", run, needs=(friction, slides, isotropic))

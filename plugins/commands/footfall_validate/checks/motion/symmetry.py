"""A box that slides and turns, seen from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.api.plugin import Floats
from footfall_validate.claims import friction, isotropic
from footfall_validate.lab import G, Lab, steps
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import rotation_matrix, rotation_quaternion
from footfall_validate.shapes import box

LENGTHS: Floats = np.array([0.1, 0.14, 0.08])
SPEED, SPIN, MU, DT = (1.0, 0.4, 0.0), 8.0, 0.4, 1e-3
STEPS = 150
SAME = 1e-6
"""Largest distance between the same motion in two views, [m]."""
MIRROR: Floats = np.array([1.0, -1.0, 1.0])


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the same motion of a box that is turned, mirrored, or has its corners renamed.

    Space has no directions, and contacts no order. The middle of its front is compared; the
    tolerance is 1e-6 m after 0.15 s, and for that time twice the residual that a law declares: in
    the centre's speed, and in that of turning.
    """
    reference, residual = _place(lab), lab.laws.contact.claims.residual or 0.0
    allowed = SAME + 2.0 * residual * STEPS * DT
    for name, yaw in (("turned by 1 rad", 1.0), ("turned by a quarter", 0.5 * np.pi)):
        back = rotation_matrix(rotation_quaternion((0.0, 0.0, -yaw)))
        yield Measure(name, "m", _far(back @ _place(lab, yaw), reference), 0.0, allowed)
    yield Measure(
        "mirrored", "m", _far(MIRROR * _place(lab, mirrored=True), reference), 0.0, allowed
    )
    yield Measure("corners renamed", "m", _far(_place(lab, renamed=True), reference), 0.0, allowed)


def _far(place: Floats, reference: Floats) -> float:
    return float(np.abs(place - reference).max())


def _place(lab: Lab, yaw: float = 0.0, *, mirrored: bool = False, renamed: bool = False) -> Floats:
    """Return the end of the middle of the box's front, (3,), [m]."""
    shape, way = box(1.0, LENGTHS), -1.0 if mirrored else 1.0
    if renamed:
        shape = replace(shape, features=shape.features[::-1])
    turned = rotation_quaternion((0.0, 0.0, yaw))
    velocity = rotation_matrix(turned) @ (np.array(SPEED) * (MIRROR if mirrored else 1.0))
    height = 0.5 * LENGTHS[2] - lab.rest_depth(G / 4.0)
    body = shape.at((0.0, 0.0, height), turned, linear=velocity, angular=(0.0, 0.0, way * SPIN))
    sim = lab.simulator(body, mu=MU, dt=DT)
    steps(sim, STEPS)
    return np.asarray(sim.q[:3] + 0.5 * LENGTHS[0] * rotation_matrix(sim.q[3:7])[:, 0])


CHECK = Check("symmetry", "The same motion, turned and mirrored", run, needs=(friction, isotropic))

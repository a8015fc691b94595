"""Bodies in other units of length and mass."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.api.plugin import Floats
from footfall_validate.claims import friction
from footfall_validate.lab import DOWN, Lab, Refused
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import rotation_quaternion
from footfall_validate.shapes import ball, box

MU, E, DT = 0.5, 0.4, 1e-3
SAME = 1e-6
"""Largest distance between the same motion in two units, [m]."""
STEPS = 140
"""Steps up to where the box lies on several points, whose loads are not unique."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the same motions of a box and a ball in metres and kilograms.

    All laws have their default settings. The tolerance is 1e-6 m.
    """
    if lab.laws.elsewhere is not None:
        raise Refused("takes metres and kilograms only")
    for name in ("box", "ball"):
        far = np.abs(path(lab, name, 1e-3, 1e-3) - path(lab, name, 1.0, 1.0)).max()
        yield Measure(f"{name} in millimetres and grams", "m", float(far), 0.0, SAME)


def path(lab: Lab, name: str, length: float, mass: float) -> Floats:
    """Return the places of a thrown body in units of ``length`` [m] and ``mass`` [kg], [m]."""
    m, kg = 1.0 / length, 1.0 / mass
    shape = box(kg, m * np.array([0.1, 0.14, 0.08])) if name == "box" else ball(kg, 0.1 * m)
    turned, speed = rotation_quaternion((0.3, 0.2, 0.1)), m * np.array([0.8, 0.3, 0.0])
    body = shape.at((0.0, 0.0, 0.12 * m), turned, linear=speed, angular=(0.0, 0.0, 3.0))
    e = E if lab.laws.restitutes else None
    units = {"length": length, "mass": mass}
    sim = lab.simulator(body, mu=MU, e=e, gravity=m * DOWN, dt=DT, units=units)
    places = []
    for _ in range(STEPS):
        sim.step()
        places.append(sim.q[:3] / m)
    return np.array(places)


CHECK = Check("scale", "The same motion in millimetres and grams", run, needs=(friction,))

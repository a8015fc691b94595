"""Standing on coplanar points: single forces are not unique, but their sum and the motion are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall_validate.lab import G, Lab, steps
from footfall_validate.laws.check import Check, Measure
from footfall_validate.rotations import rotation_quaternion
from footfall_validate.shapes import table

MASS, HEIGHT = 2.0, 0.2


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with ``sum f = m g``, ``sum r x f = 0`` about the mass centre, and no motion.

    A table stands on 3 to 30 feet on a circle, its mass off the middle; from four feet on the
    Delassus matrix is singular. It settles for 1 s. Forces are compared to 1e-4 of the weight, as
    in the conformance kit; the drift may reach the law's declared accuracy.
    """
    for n in (3, 4, 8, 30):
        shape = table(n, height=HEIGHT, com=(0.06, -0.03, 0.0))
        height = HEIGHT - lab.rest_depth(MASS * G / n)
        sim = lab.simulator(shape.at((0, 0, height), rotation_quaternion((0, 0, 0.3))))
        steps(sim, 1000)
        start = sim.q[:3].copy()
        steps(sim, 300)
        force, at = sim.signal("contact_force"), sim.signal("contact_position")
        total = force.sum(axis=0) - (0.0, 0.0, MASS * G)
        moment = np.cross(at - sim.signal("com"), force).sum(axis=0)
        where = f"{n} feet"
        off = float(np.abs(total).max()) / (MASS * G)
        yield Measure(f"error of the force over the weight, {where}", "", off, 0.0, 1e-4)
        off = float(np.abs(moment).max())
        yield Measure(f"moment, {where}", "N m", off, 0.0, 1e-4 * MASS * G * 0.3)
        drift = float(np.linalg.norm(sim.q[:3] - start)) / 0.3
        yield Measure(f"drift, {where}", "m/s", drift, 0.0, lab.accuracy)


CHECK = Check("coplanar", "Standing on coplanar points", run)

"""The energy balance of a tumbling box."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall import Simulator
from footfall_validate.lab import Lab
from footfall_validate.laws.check import Check, Measure, Trace, trace
from footfall_validate.rotations import rotation_quaternion
from footfall_validate.shapes import box

DURATION = 1.5


def run(lab: Lab) -> Iterator[Measure | Trace]:
    """Compare with the balance ``E + dissipated - work - integration error = const``, relative.

    E is the kinetic, potential and elastic energy. A box is thrown down, tumbles, slides and comes
    to rest; impulses do the work ``lambda . (u- + u+) / 2``.
    """
    sim = thrown(lab)
    report = sim.record(DURATION)
    largest = max(abs(report.energy_start), abs(report.energy_end), report.dissipated)
    off = abs(report.energy_balance) / largest
    yield Measure("rest of the balance, relative", "", off, 0.0, 1e-9)
    sim = thrown(lab)
    times, energies = [], []
    for _ in range(round(DURATION / sim.time_step)):
        sim.step()
        times.append(sim.time)
        kinetic, potential = sim.signal("kinetic_energy"), sim.signal("potential_energy")
        energies.append(float(np.sum(kinetic) + np.sum(potential)))
    yield trace("energy", times, energies)


def thrown(lab: Lab) -> Simulator:
    """Return a box in the air that flies down, forwards, and spins."""
    start = rotation_quaternion((0.3, 0.5, 0.2))
    body = box(1.0, (0.2, 0.15, 0.1)).at((0, 0, 0.4), start, (1.0, 0.3, -1.0), (5.0, 3.0, -4.0))
    return lab.simulator(body, mu=0.4)


CHECK = Check("energy", "Energy balance of a tumbling box", run)

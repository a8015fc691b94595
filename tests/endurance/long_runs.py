"""Hours of simulated time in one process: memory, cost of a step, residuals, drift, in parts.

A part is a piece of the run after which the same is measured again: a walk of 14 s, a minute of a
pile. What grows or creeps shows as a difference between the first parts and the last.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

import footfall
from footfall import RunReport, Simulator
from footfall.api.plugin import Floats
from footfall_bench.touching import pile

TOLERANCE, STEP = 1e-7, 2e-3
"""Of the contact law in the pile, [m/s], and its time step, [s]."""
RETURN = 0.5
"""Time in which a walker goes back to the posture it starts from, [s]."""
SHOVE, STRENGTH = 0.05, 45.0
"""How long the boxes of the pile are pushed once a minute, [s], and with what force each, [N]."""
SETTLES, RESTS = 19.95, 40.0
"""What a minute of the pile is besides: boxes that fall and settle, and boxes at rest, [s]."""


@dataclass(frozen=True, slots=True)
class Part:
    """What was measured after a part of a long run.

    Attributes:
        simulated: time since the start, [s].
        memory: resident memory of the process, [MB].
        step: processor time a step, [us].
        residual: largest natural-map residual of the part, [m/s].
        balance: what is left of the part's energy balance, [J].
        penetration: deepest of the part, [m].
        drift: what should not change, see the run, [m].
        failures: QP solves without a solution, and alarms.
    """

    simulated: float
    memory: float
    step: float
    residual: float
    balance: float
    penetration: float
    drift: float
    failures: int

    def line(self) -> str:
        """Return the part as a line."""
        return (
            f"{self.simulated:8.0f} s  {self.memory:7.1f} MB  {self.step:8.1f} us/step  residual "
            f"{self.residual:.1e} m/s  balance {self.balance:+.1e} J  penetration "
            f"{self.penetration:.1e} m  drift {self.drift:.1e} m  failures {self.failures}"
        )


def resident() -> float:
    """Return the memory that this process has now; where only a peak is told, the peak, [MB]."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize() / 1e6
    except OSError:
        unit = 1.0 if sys.platform == "darwin" else 1024.0
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


class Recorded:
    """Pieces of a run, each recorded into the same folder, over the one before."""

    def __init__(self, sim: Simulator, folder: Path) -> None:
        self.sim, self._path = sim, folder / "part.zarr"
        self._reports: list[RunReport] = []
        self._began, self._tick = process_time(), sim.time

    def record(self, duration: float) -> None:
        """Simulate so long, [s]."""
        self._reports.append(self.sim.record(duration, self._path, overwrite=True))

    def part(self, drift: float) -> Part:
        """End a part and return what was measured in it."""
        reports, now = self._reports, process_time()
        steps = (self.sim.time - self._tick) / self.sim.time_step
        part = Part(
            self.sim.time,
            resident(),
            1e6 * (now - self._began) / steps,
            max(report.natural_map_worst for report in reports),
            max((report.energy_balance for report in reports), key=abs),
            max(report.penetration_worst for report in reports),
            drift,
            sum(report.solver_failures + len(report.alarms) for report in reports),
        )
        self._reports, self._began, self._tick = [], now, self.sim.time
        return part


def walks_in_a_circle(table: str) -> tuple[str, float]:
    """Return a trajectory that ends in its first row, and how long it takes, [s].

    Args:
        table: of ``humanoid/walking``: comments, a row of names, rows that begin with the time.
    """
    lines = table.strip().splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("time")) + 1
    length = float(lines[-1].split(",")[0]) + RETURN
    lines.append(",".join([f"{length:g}", *lines[first].split(",")[1:]]))
    return "\n".join(lines) + "\n", length


def walking(hours: float, folder: Path) -> Iterator[Part]:
    """The humanoid walks twelve steps and stands, over and over; drift: of its height, standing."""
    scene = "humanoid/walking"
    path = footfall.find_scene(scene)[1].parent.parent / "walking.csv"
    table, length = walks_in_a_circle(path.read_text(encoding="utf-8"))
    (folder / "walking.csv").write_text(table, encoding="utf-8")
    controller = {"file": str(folder / "walking.csv"), "after": "repeat"}
    changes = {f"bodies.humanoid.controller.{key}": value for key, value in controller.items()}
    run, height = Recorded(footfall.load(scene, changes), folder), np.nan
    while run.sim.time < 3600.0 * hours:
        run.record(length)
        stands = float(run.sim.q[2])
        height = stands if np.isnan(height) else height
        yield run.part(stands - height)


def shove(sim: Simulator, centre: Floats) -> None:
    """Throw the boxes of a pile up and towards its centre, shape (3,), [m]."""
    bodies = sim.world.bodies
    for _ in range(round(SHOVE / sim.time_step)):
        for body, place in zip(bodies, places_of(sim), strict=True):
            inwards = centre - place
            inwards[2] = 0.0
            upwards = np.array([0.0, 0.0, STRENGTH])
            sim.push(f"{body.name}/{body.model.link_names[0]}", upwards + 30.0 * inwards)
        sim.step()


def places_of(sim: Simulator) -> Floats:
    """Return where free bodies are, shape (n, 3), [m]."""
    return np.array(sim.q).reshape(-1, 7)[:, :3]


def piled(hours: float, folder: Path) -> Iterator[Part]:
    """Thirty boxes are thrown up every minute; drift: how far one creeps in 40 s of rest."""
    sim = pile(TOLERANCE, STEP).sim
    run, centre = Recorded(sim, folder), places_of(sim).mean(axis=0)
    while sim.time < 3600.0 * hours:
        shove(sim, centre)
        run.record(SETTLES)
        before = places_of(sim)
        run.record(RESTS)
        yield run.part(float(np.linalg.norm(places_of(sim) - before, axis=1).max()))


def settled(parts: list[Part]) -> tuple[list[Part], list[Part]]:
    """Return the first and the last tenth of the parts.

    The very first part allocates what later ones use, and is left out if there are others.
    """
    rest = parts[1:] or parts
    few = max(1, len(rest) // 10)
    return rest[:few], rest[-few:]


def growth(parts: list[Part]) -> float:
    """Return by how much the memory has grown since the first settled part, [MB]."""
    first, last = settled(parts)
    return last[-1].memory - first[0].memory


def summary(parts: list[Part]) -> str:
    """Return in a line how the last tenth of the parts differs from the first."""
    first, last = settled(parts)
    steps = [median(part.step for part in some) for some in (first, last)]
    return (
        f"{parts[-1].simulated:.0f} s: memory {first[0].memory:.1f} MB, "
        f"{growth(parts):+.1f} MB at the end; "
        f"step {steps[0]:.1f} us, {steps[1]:.1f} us at the end; worst residual "
        f"{max(part.residual for part in parts):.1e} m/s, energy balance "
        f"{max(abs(part.balance) for part in parts):.1e} J, penetration "
        f"{max(part.penetration for part in parts):.1e} m, drift "
        f"{max(abs(part.drift) for part in parts):.1e} m; "
        f"{sum(part.failures for part in parts)} failures"
    )

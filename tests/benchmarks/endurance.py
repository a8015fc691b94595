"""Hours of simulated time in one process: memory, cost of a step, residuals, drift, in parts.

A part is a piece of the run after which the same figures are measured: a walk of 14 s, a minute of
a pile. Growth or creep shows as a difference between the first parts and the last.

python -m tests.benchmarks.endurance walking|pile|page [--hours 1] [--speed 6]
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from tests.benchmarks import endurance_page

import footfall
from footfall import RunReport, Simulator
from footfall.api.plugin import Floats
from footfall_bench.touching import pile

TOLERANCE, STEP = 1e-7, 2e-3
"""Tolerance of the contact law in the pile, [m/s], and its time step, [s]."""
RETURN = 0.5
"""Time in which a walker goes back to the posture it starts from, [s]."""
SHOVE, STRENGTH = 0.05, 45.0
"""Time for which the boxes of the pile are pushed once a minute, [s], and the force, [N]."""
SETTLES, RESTS = 19.95, 40.0
"""Rest of a pile's minute: time in which boxes fall and settle, and time at rest, [s]."""


@dataclass(frozen=True, slots=True)
class Part:
    """Figures measured after a part of a long run.

    Attributes:
        simulated: time since the start, [s].
        memory: resident memory of the process, [MB].
        step: processor time per step, [us].
        residual: largest natural-map residual of the part, [m/s].
        balance: residual of the part's energy balance, [J].
        penetration: deepest penetration of the part, [m].
        drift: change of a length that should not change, see the run, [m].
        failures: number of QP solves without a solution, and of alarms.
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
        """Return the figures as one line of text."""
        return (
            f"{self.simulated:8.0f} s  {self.memory:7.1f} MB  {self.step:8.1f} us/step  residual "
            f"{self.residual:.1e} m/s  balance {self.balance:+.1e} J  penetration "
            f"{self.penetration:.1e} m  drift {self.drift:.1e} m  failures {self.failures}"
        )


def resident() -> float:
    """Return the memory that this process uses now (its peak if only that is known), [MB]."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize() / 1e6
    except OSError:
        unit = 1.0 if sys.platform == "darwin" else 1024.0
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


class Recorded:
    """A run recorded in pieces; each piece overwrites the one before in the same folder."""

    def __init__(self, sim: Simulator, folder: Path) -> None:
        self.sim, self._path = sim, folder / "part.zarr"
        self._reports: list[RunReport] = []
        self._began, self._tick = process_time(), sim.time

    def record(self, duration: float) -> None:
        """Simulate and record for a duration, [s]."""
        self._reports.append(self.sim.record(duration, self._path, overwrite=True))

    def part(self, drift: float) -> Part:
        """End a part and return its figures."""
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
    """Return a trajectory that ends in its first row, and its duration, [s].

    Args:
        table: file of ``humanoid/walking``: comments, a row of names, rows that begin with time.
    """
    lines = table.strip().splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("time")) + 1
    length = float(lines[-1].split(",")[0]) + RETURN
    lines.append(",".join([f"{length:g}", *lines[first].split(",")[1:]]))
    return "\n".join(lines) + "\n", length


def walking(hours: float, folder: Path) -> Iterator[Part]:
    """Yield walks of twelve steps, over and over; drift: change of the height at standstill."""
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
    """Return the positions of free bodies, shape (n, 3), [m]."""
    return np.array(sim.q).reshape(-1, 7)[:, :3]


def piled(hours: float, folder: Path) -> Iterator[Part]:
    """Yield minutes in which thirty boxes are thrown up; drift: largest creep in 40 s of rest."""
    sim = pile(TOLERANCE, STEP).sim
    run, centre = Recorded(sim, folder), places_of(sim).mean(axis=0)
    while sim.time < 3600.0 * hours:
        shove(sim, centre)
        run.record(SETTLES)
        before = places_of(sim)
        run.record(RESTS)
        yield run.part(float(np.linalg.norm(places_of(sim) - before, axis=1).max()))


LONG: dict[str, Callable[[float, Path], Iterator[Part]]] = {"walking": walking, "pile": piled}


def measure(name: str, hours: float) -> list[Part]:
    """Simulate for so many hours, print about twenty of the parts, and return all of them."""
    parts: list[Part] = []
    told, often = 0.0, 180.0 * hours
    with tempfile.TemporaryDirectory(prefix="footfall-") as folder:
        for part in LONG[name](hours, Path(folder)):
            parts.append(part)
            if len(parts) == 1 or part.simulated // often > told // often:
                print(part.line(), flush=True)
            told = part.simulated
    return parts


def summary(parts: list[Part]) -> str:
    """Return one line that compares the last tenth of the parts with the first settled tenth.

    The very first part allocates memory that later ones use. It is left out if there are others.
    """
    settled = parts[1:] or parts
    few = max(1, len(settled) // 10)
    first, last = settled[:few], settled[-few:]
    grown = last[-1].memory - first[0].memory
    steps = [median(part.step for part in some) for some in (first, last)]
    return (
        f"{parts[-1].simulated:.0f} s: memory {first[0].memory:.1f} MB, {grown:+.1f} MB at the "
        f"end; step {steps[0]:.1f} us, {steps[1]:.1f} us at the end; worst residual "
        f"{max(part.residual for part in parts):.1e} m/s, energy balance "
        f"{max(abs(part.balance) for part in parts):.1e} J, penetration "
        f"{max(part.penetration for part in parts):.1e} m, drift "
        f"{max(abs(part.drift) for part in parts):.1e} m; "
        f"{sum(part.failures for part in parts)} failures"
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the figures of a long run."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.endurance", description=__doc__
    )
    parser.add_argument("what", choices=(*LONG, "page"), help="page: a run with a user")
    parser.add_argument("--hours", type=float, default=1.0, help="simulated hours")
    parser.add_argument(
        "--speed", type=float, default=6.0, help="simulated seconds per second (page only)"
    )
    options = parser.parse_args(arguments)
    if options.what == "page":
        print(endurance_page.measure(options.hours, options.speed))
    else:
        print(summary(measure(options.what, options.hours)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

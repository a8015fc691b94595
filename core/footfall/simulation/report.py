"""The report of a run, and its progress bar."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Self

import numpy as np

from footfall.world.arrays import Monitor

if TYPE_CHECKING:
    from rich.progress import Progress


@dataclass(frozen=True, slots=True)
class RunReport:
    """The figures of a run, or of the time since its last restart; ``summary`` is their table.

    Attributes:
        steps: done in this run.
        simulated: simulated time, [s].
        wall: wall-clock time of the stepping, [s].
        typical_step: wall-clock time of a step, median over stretches of 100 steps, [s], which
            excludes compiling and other work of the machine; 0 for less than one stretch.
        interrupted: whether the run was stopped before its end.
        natural_map_worst: largest natural-map residual, [m/s]; NaN in continuous time, which has
            no impulses per step.
        natural_map_median: median over the steps, to a tenth of a decade from above, [m/s].
        cone_worst: largest distance of an impulse to its cone, [N s].
        penetration_worst: [m].
        iterations: mean iterations of the contact law per step.
        solver_failures: QP solves that failed.
        impacts: instants at which velocities jumped.
        splits: parts that steps were split into at impacts.
        unresolved_splits: impacts that were not separated because a step had too many.
        restitution_cuts: impacts whose restitution was cut so that they add no energy.
        energy_start: kinetic, potential and elastic energy at the start, [J].
        energy_end: at the end, [J].
        elastic: energy stored in compliant contacts at the end, [J].
        work: done by motors and external forces, [J].
        dissipated: [J].
        integration_error: energy that the integrator added, [J].
        inner_steps: of a continuous-time integrator, 0 for others.
        evaluations: of the rates, likewise.
        events: contacts that touched, left, began to slip or to stick, likewise.
        recording: path of the recording, None if there is none.
        law: the contact law's report on its settings, pairs of name and value.
        control: the controllers' report on their work, likewise.
        alarms: problems in the run, one line each.
        notes: declared properties of laws that may surprise in this scene, one line each.
    """

    steps: int
    simulated: float
    wall: float
    typical_step: float
    interrupted: bool
    natural_map_worst: float
    natural_map_median: float
    cone_worst: float
    penetration_worst: float
    iterations: float
    solver_failures: int
    impacts: int
    splits: int
    unresolved_splits: int
    restitution_cuts: int
    energy_start: float
    energy_end: float
    work: float
    dissipated: float
    integration_error: float
    elastic: float
    inner_steps: int
    evaluations: int
    events: int
    recording: Path | None
    law: tuple[tuple[str, str], ...] = ()
    control: tuple[tuple[str, str], ...] = ()
    alarms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per wall-clock second."""
        return self.simulated / self.wall if self.wall > 0.0 else float("inf")

    @property
    def energy_balance(self) -> float:
        """Remainder of the energy balance, [J]: zero to rounding."""
        change = self.energy_end - self.energy_start
        return change + self.dissipated - self.work - self.integration_error


def median_residual(monitor: Monitor) -> float:
    """Return the median natural-map residual from its histogram: the upper edge of its bin."""
    counts = np.cumsum(monitor.histogram)
    if counts[-1] == 0.0:
        return 0.0
    bin_ = int(np.searchsorted(counts, 0.5 * counts[-1]))
    return 0.0 if bin_ == 0 else float(10.0 ** ((bin_ + 1) / 10.0 - 20.0))


class ProgressBar:
    """A progress bar for runs longer than a second; without a terminal, a line now and then.

    ``update`` is cheap enough to be called every few hundred steps.
    """

    def __init__(self, total: float, *, shown: bool) -> None:
        self._total = total
        self._due = (1.0 if sys.stderr.isatty() else LINES) if shown else math.inf
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def update(self, simulated: float, wall: float) -> None:
        """Show the progress of the run after ``wall`` seconds."""
        if wall < self._due:
            return
        speed = simulated / max(wall, 1e-9)
        if sys.stderr.isatty():
            self._bar = self._bar or self._started()
            self._bar.update(self._bar.task_ids[0], completed=simulated, rtf=speed)
            return
        self._due = wall + LINES
        told = f"simulated {simulated:.2f} of {self._total:g} s, {speed:.1f} x real time"
        print(told, file=sys.stderr, flush=True)

    def _started(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("simulated {task.completed:.2f} / {task.total:g} s"),
            BarColumn(),
            TextColumn("{task.fields[rtf]:.1f} x real time"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task("run", total=self._total, rtf=0.0)
        bar.start()
        return bar

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()


LINES = 10.0
"""Time between two lines of progress without a terminal, [s]."""
SOON = 2.0
"""Time to the first line of progress without a terminal, [s]."""


@contextmanager
def progress_lines(line: Callable[[float], str], soon: float | None = None) -> Iterator[None]:
    """Report on standard error that other work goes on: after 2 s, then every 10 s.

    Args:
        line: returns the text, given the time since the start, [s]; called in another thread.
        soon: time to the first line, [s]; None: 2 s.
    """
    began, ended = monotonic(), Event()

    def tell() -> None:
        wait = SOON if soon is None else soon
        while not ended.wait(wait):
            print(line(monotonic() - began), file=sys.stderr, flush=True)
            wait = LINES

    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()

"""Reports of a run: its progress while it lasts, and figures from the monitor of its steps."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Self

import numpy as np

from footfall.progress import LINES, progress_bar
from footfall_stepper.world.step_arrays import Monitor

if TYPE_CHECKING:
    from rich.progress import Progress

BEFORE, AFTER = (
    "simulated {task.completed:.2f} / {task.total:g} s",
    "{task.fields[rtf]:.1f} x real time",
)
"""Texts beside the bar."""
FRAME = 0.1
"""Time between two pictures of the bar, [s]."""


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
            self._due = wall + FRAME
            self._bar = self._bar or progress_bar(BEFORE, AFTER, self._total, rtf=0.0)
            self._bar.update(self._bar.task_ids[0], completed=simulated, rtf=speed, refresh=True)
            return
        self._due = wall + LINES
        told = f"simulated {simulated:.2f} of {self._total:g} s, {speed:.1f} x real time"
        print(told, file=sys.stderr, flush=True)

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def median_residual(monitor: Monitor) -> float:
    """Return the median natural-map residual from its histogram: the upper edge of its bin."""
    counts = np.cumsum(monitor.histogram)
    if counts[-1] == 0.0:
        return 0.0
    bin_ = int(np.searchsorted(counts, 0.5 * counts[-1]))
    return 0.0 if bin_ == 0 else float(10.0 ** ((bin_ + 1) / 10.0 - 20.0))

"""Recorded steps of a run, timed in turn with another contender."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from footfall import RunReport
from footfall_bench.timing import Burst
from footfall_stepper.api import Run, StepperSimulator


class TimedRun(Run):
    """A recorded run whose steps are made by a measuring function."""

    def __init__(self, sim: StepperSimulator, steps: int, measure: Callable[[Burst], None]) -> None:
        """Prepare the run.

        Args:
            sim: the simulator.
            steps: total number of steps.
            measure: receives a function that makes n steps, and calls it until all are made.
        """
        super().__init__(sim, steps * sim.time_step)
        self._measure = measure

    def loop(self, bar: Any) -> None:
        """Make the steps; for bursts of several steps the time includes the thread that writes."""
        self._measure(self._make_and_write)

    def _make_and_write(self, count: int) -> None:
        self.make(count)
        if count > 1 and self._writer is not None:
            self._writer.flush()


def measure_recorded(
    sim: StepperSimulator, steps: int, measure: Callable[[Burst], None]
) -> RunReport:
    """Record timed steps into a temporary folder and return their report."""
    gc.collect()  # else a search for garbage, 14 to 34 ms, falls into some burst by chance
    with tempfile.TemporaryDirectory(prefix="footfall-") as folder:
        return TimedRun(sim, steps, measure).record(Path(folder) / "run.zarr", False, False)


def settle(sim: StepperSimulator, duration: float) -> None:
    """Simulate for a while, [s], without recording."""
    Run(sim, duration).record(None, False, False)

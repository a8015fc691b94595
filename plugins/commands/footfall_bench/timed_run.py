"""Steps as a run makes them, recorder on, timed in turn with something else."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall import RunReport
from footfall_bench.timing import Burst
from footfall_stepper.api import Run

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


class TimedRun(Run):
    """A run whose steps are made by whoever times them, recorded with all that a run records."""

    def __init__(self, sim: StepperSimulator, steps: int, measure: Callable[[Burst], None]) -> None:
        """Prepare.

        Args:
            sim: the simulator.
            steps: that are made in all.
            measure: is given what makes so many steps, and makes them.
        """
        super().__init__(sim, steps * sim.time_step)
        self._measure = measure

    def loop(self, bar: Any) -> None:
        """Make the steps; what a thread still writes of many counts as theirs."""
        self._measure(self._make_and_write)

    def _make_and_write(self, count: int) -> None:
        self.make(count)
        if count > 1 and self._writer is not None:
            self._writer.flush()


def measure_recorded(
    sim: StepperSimulator, steps: int, measure: Callable[[Burst], None]
) -> RunReport:
    """Let steps be timed that are recorded into a folder which is removed; return their report."""
    with tempfile.TemporaryDirectory(prefix="footfall-") as folder:
        return TimedRun(sim, steps, measure).record(Path(folder) / "run.zarr", False, False)


def settle(sim: StepperSimulator, duration: float) -> None:
    """Simulate for a while, [s], without recording."""
    Run(sim, duration).record(None, False, False)

"""Alarms of steps that Python makes one by one: of every stretch some rows go to the watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import Alarm
from footfall.registry.discover import discover
from footfall.typing import Floats

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator

BURST = 20
"""Steps in a row that are watched."""
LONGEST = 10_000
"""Most steps between two bursts; at first there are few, then four times as many each time."""
SET = 1e-6
"""Difference from which a position or velocity counts as set between two steps. Closing loops moves
them by less."""


class Listener:
    """Watches bursts of steps, and warns of alarms.

    A state that is set between two steps begins a new burst, so that it is never taken for motion;
    one of an earlier time begins a new run.

    Attributes:
        alarms: those of the present run.
    """

    def __init__(self, sim: StepperSimulator) -> None:
        """Prepare for the first step of a simulator."""
        self._sim, self._rows, self.alarms = sim, list[Floats](), list[Alarm]()
        self._gap, self._time, self._expected = 0, -1.0, np.zeros(0)
        self._watches: list[Any] = []
        self._motion = np.r_[sim.layout.slice_of("q"), sim.layout.slice_of("v")]

    def hear(self) -> int:
        """Take the last step of a burst; return the number of steps to the end of the next one."""
        row, state, run = self._sim.row, self._sim.state, self._sim.stepper.monitor.run
        if row[0] <= self._time:
            self.alarms, self._watches, self._rows, self._gap, self._time = [], [], [], 0, row[0]
            run[:] = 0.0
            self._sim.stepper.missed.clear()
            return 2 * BURST  # not at once: derivatives by differences set the state in each step
        if self._rows and np.abs(row[self._motion] - self._expected).max(initial=0.0) > SET:
            self._rows = []
        self._rows.append(row.copy())
        self._time, self._expected = row[0], np.concatenate([state["q"], state["v"]])
        if len(self._rows) < BURST:
            return BURST
        self._gap = min(4 * self._gap + BURST, LONGEST)
        self.tell()
        return BURST + self._gap

    def tell(self) -> None:
        """Warn of what the steps of this burst show, also if the next one fails."""
        rows, self._rows, stepper = np.array(self._rows), [], self._sim.stepper
        if not self._watches:
            run, missed = stepper.monitor.run, stepper.missed
            kept = run.copy(), missed.copy()
            run[:] = 0.0  # a watch takes what it finds for another run's
            missed.clear()
            watches = (self._sim.provenance.registry or discover()).watch.loadable()
            self._watches = [make(self._sim) for name, make in watches if name == "alarms"]
            run[:] = kept[0]
            missed += kept[1]
        for watch in self._watches:
            watch.see(rows)
            for alarm in {*watch.found()["alarms"]} - {*self.alarms}:
                self.alarms.append(alarm)
                alarm.sound()

"""Alarms of steps that Python makes one by one: of every stretch some rows go to the watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import Alarm, sound_alarms
from footfall.registry.discover import discover

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator

BURST = 20
"""Steps in a row that are watched."""
LONGEST = 2000
"""Most steps between two bursts; at first there are none, then twice as many each time."""
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
        """Begin to watch, after the first step of a simulator."""
        self.alarms: list[Alarm] = []
        self._sim, self._rows = sim, np.zeros((BURST, sim.row.size))
        self._made, self._gap, self._time = 0, 0, -1.0
        self._expected = np.zeros(0)
        at = sim.layout.slice_of
        self._motion = np.r_[at("q"), at("v")]
        self._begin()

    def _begin(self) -> None:
        sim, self.alarms = self._sim, []
        run = sim.stepper.monitor.run
        kept, run[:] = run.copy(), 0.0  # the first step is judged, too
        registry = sim.provenance.registry or discover()
        self._watches: list[Any] = [
            make(sim) for name, make in registry.watch.loadable() if name == "alarms"
        ]
        run[:] = kept

    def hear(self) -> int:
        """Take the last step of a burst; return the number of steps to the end of the next one."""
        row, moved = self._sim.row, self._sim.state
        if row[0] <= self._time:
            self._begin()
        if self._made and np.abs(row[self._motion] - self._expected).max(initial=0.0) > SET:
            self._made = 0
        self._rows[self._made] = row
        self._made, self._time = self._made + 1, row[0]
        self._expected = np.concatenate([moved["q"], moved["v"]])
        if self._made < BURST:
            return BURST
        self._made, self._gap = 0, min(2 * self._gap + BURST, LONGEST)
        for watch in self._watches:
            watch.see(self._rows)
            new = [each for each in watch.found()["alarms"] if each not in self.alarms]
            self.alarms += new
            sound_alarms(new)
        return BURST + self._gap

"""Events of a live run (impacts, pushes, failures), for marks on a timeline."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from footfall.api.plugin import Floats

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator

COUNTS = ("impacts", "solver_failures", "unresolved_splits", "restitution_cuts")
"""Signals that count events of a step."""
NEAR = 0.05
"""Steps with the same signal closer together than this form one event, [s]."""
KEPT = 32
"""Number of events kept (the newest), [-]: every status contains them."""

Event = tuple[str, float, float, int]
"""Name of the counting signal, or ``push on LINK``; start and end, [s]; count."""


class Events:
    """Collector of events from the rows of a run; a step without events takes 0.5 microseconds."""

    def __init__(self, sim: StepperSimulator) -> None:
        self._seen: deque[list[str | float | int]] = deque(maxlen=KEPT)
        self._last: dict[str, list[str | float | int]] = {}
        self.follow(sim)

    def follow(self, sim: StepperSimulator, *, anew: bool = False) -> None:
        """Continue with another simulator; ``anew``: forget earlier events."""
        if anew:
            self._seen.clear()
            self._last.clear()
        variables = {variable.name for variable in sim.layout.variables}
        names = [name for name in COUNTS if name in variables]
        self._columns = [(name, sim.layout.slice_of(name).start) for name in names]
        self._time = sim.layout.slice_of("time").start
        self._pushes = sim.participants.pushes

    def see(self, row: Floats) -> None:
        """Record the events in the row of a step."""
        for name, column in self._columns:
            if row[column] > 0.0:
                self._count(name, float(row[self._time]), int(row[column]))

    def _count(self, name: str, time: float, count: int) -> None:
        last = self._last.get(name)
        if last is not None and time - float(last[2]) <= NEAR:
            last[2:] = time, int(last[3]) + count
        else:
            self._last[name] = [name, time, time, count]
            self._seen.append(self._last[name])

    def until(self, time: float) -> tuple[Event, ...]:
        """Return the newest events, and the pushes that began before a time [s]."""
        pushes = [
            (f"push on {push.name.split('/')[-1]}", push.start, push.start + push.duration, 1)
            for push in self._pushes
            if push.start <= time
        ]
        seen = [(str(name), float(a), float(b), int(n)) for name, a, b, n in self._seen]
        return (*pushes[:KEPT], *seen)

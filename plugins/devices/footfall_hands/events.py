"""What happened in a live run: impacts, pushes and failures, for marks on a timeline."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from footfall.api.plugin import Floats

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator

    pass

COUNTS = ("impacts", "solver_failures", "unresolved_splits", "restitution_cuts")
"""Signals that count what happens in a step."""
NEAR = 0.05
"""Steps with the same less than so far apart are one event, [s]."""
KEPT = 32
"""Events that are kept, the newest [-]: they go out with every status."""

Event = tuple[str, float, float, int]
"""Name of the signal that counts it, or ``push on LINK``; from and to, [s]; how many."""


class Events:
    """Follows the rows of a run, step by step; takes half a microsecond where nothing happens."""

    def __init__(self, sim: StepperSimulator) -> None:
        self._seen: deque[list[str | float | int]] = deque(maxlen=KEPT)
        self._last: dict[str, list[str | float | int]] = {}
        self.follow(sim)

    def follow(self, sim: StepperSimulator, *, anew: bool = False) -> None:
        """Go on with another simulator; ``anew``: forget what was."""
        if anew:
            self._seen.clear()
            self._last.clear()
        variables = {variable.name for variable in sim.layout.variables}
        names = [name for name in COUNTS if name in variables]
        self._columns = [(name, sim.layout.slice_of(name).start) for name in names]
        self._time = sim.layout.slice_of("time").start
        self._pushes = sim.participants.pushes

    def see(self, row: Floats) -> None:
        """Take the row of a step."""
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
        """Return the newest events, and the pushes that have begun until a time, [s]."""
        pushes = [
            (f"push on {push.name.split('/')[-1]}", push.start, push.start + push.duration, 1)
            for push in self._pushes
            if push.start <= time
        ]
        seen = [(str(name), float(a), float(b), int(n)) for name, a, b, n in self._seen]
        return (*pushes[:KEPT], *seen)

"""The clock of a live run: simulated time against wall time."""

from __future__ import annotations

import math
from time import perf_counter

LATE = 0.1
"""Largest delay in wall time that a run catches up with, [s]; a longer delay is dropped."""
WINDOW = 0.5
"""Wall time over which the real-time factor is measured, [s]."""


class LiveClock:
    """The clock that tells the number of due steps and the speed of simulated time.

    A run catches up with a small delay. A delay above ``LATE`` is dropped, so that the run does not
    rush after it was held up.

    Attributes:
        speed: requested speed, simulated seconds per second; 0: as fast as possible.
        rate: measured speed, likewise.
        behind: whether the run has recently been slower than the requested speed.
    """

    def __init__(self, time_step: float, speed: float) -> None:
        self.speed, self.rate, self.behind = speed, 0.0, False
        self._dt = time_step
        self.start()

    def start(self, now: float | None = None) -> None:
        """Restart the count: after a pause, another speed, or another world."""
        self._since = perf_counter() if now is None else now
        self._done = 0
        self._window, self._counted, self._given_up = self._since, 0, False

    def due(self, now: float) -> int:
        """Return the number of steps due at a wall time [s]."""
        if self.speed == 0.0:
            return 1 << 30
        owed = int((now - self._since) * self.speed / self._dt + 1e-6) - self._done
        if owed * self._dt > LATE * self.speed and owed > 1:
            kept = max(1, int(LATE * self.speed / self._dt))
            self._since += (owed - kept) * self._dt / self.speed
            self._given_up, owed = True, kept
        return max(owed, 0)

    def next_due(self) -> float:
        """Return the wall time at which the next step is due, [s]."""
        if self.speed == 0.0:
            return -math.inf
        return self._since + (self._done + 1) * self._dt / self.speed

    def count(self, steps: int, now: float) -> None:
        """Count steps made at a wall time [s]; measure the speed once per window."""
        self._done += steps
        self._counted += steps
        if now - self._window >= WINDOW:
            self.rate = self._counted * self._dt / (now - self._window)
            self.behind = self._given_up
            self._window, self._counted, self._given_up = now, 0, False

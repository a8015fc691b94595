"""The clock of a live run: simulated time against that on the wall."""

from __future__ import annotations

import math
from time import perf_counter

LATE = 0.1
"""Wall time that a run may fall behind before the rest is given up, [s]."""
WINDOW = 0.5
"""Wall time over which the real-time factor is measured, [s]."""


class LiveClock:
    """Says how many steps are due, and how fast simulated time goes.

    What a run falls behind by is made up for as long as it is little; more is given up, so that a
    run that was held up does not rush afterwards.

    Attributes:
        speed: asked, simulated seconds a second; 0: as fast as possible.
        rate: measured, likewise.
        behind: whether the speed that is asked could not be kept of late.
    """

    def __init__(self, time_step: float, speed: float) -> None:
        self.speed, self.rate, self.behind = speed, 0.0, False
        self._dt = time_step
        self.start()

    def start(self, now: float | None = None) -> None:
        """Count from now on: after a pause, another speed, or another world."""
        self._since = perf_counter() if now is None else now
        self._done = 0
        self._window, self._counted, self._given_up = self._since, 0, False

    def due(self, now: float) -> int:
        """Return how many steps are due at a wall time [s]."""
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
        """Note that steps have been made, at a wall time [s], and measure from time to time."""
        self._done += steps
        self._counted += steps
        if now - self._window >= WINDOW:
            self.rate = self._counted * self._dt / (now - self._window)
            self.behind = self._given_up
            self._window, self._counted, self._given_up = now, 0, False

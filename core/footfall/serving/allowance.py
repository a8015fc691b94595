"""So much at once and so much a second: what a client may send, what is logged."""

from __future__ import annotations

import time


class Allowance:
    """Grants that run out when asked for too often, and come back with time."""

    def __init__(self, rate: float, burst: float) -> None:
        """Start full.

        Args:
            rate: that come back, [1/s].
            burst: granted at once at most, [-].
        """
        self._rate, self._burst = rate, burst
        self._left, self._counted = burst, time.monotonic()

    def spend(self) -> bool:
        """Take one grant; return whether there was one."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + self._rate * (now - self._counted))
        self._counted = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

"""The clock of the gait: which leg stands and which steps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gait:
    """A periodic gait.

    Attributes:
        start: when the first step begins, [s].
        period: of a cycle, [s].
        duty: part of it that a leg stands, [-].
    """

    start: float
    period: float
    duty: float

    @property
    def swing_time(self) -> float:
        """Duration of a step, [s]."""
        return (1.0 - self.duty) * self.period

    @property
    def stance_time(self) -> float:
        """How long a leg stands between two steps, [s]."""
        return self.duty * self.period

    def swing(self, time: float, phase: float) -> float | None:
        """Return how much of its step a leg has made, from 0 to 1, or None while it stands.

        Args:
            time: [s].
            phase: when in the cycle the leg's step begins, from 0 to 1.
        """
        turns = (time - self.start) / self.period - phase
        if turns < 0.0:
            return None
        progress = (turns % 1.0) / (1.0 - self.duty)
        return progress if progress < 1.0 else None

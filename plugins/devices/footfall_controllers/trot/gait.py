"""The clock of the gait: it decides which legs stand and which step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gait:
    """A periodic gait.

    Attributes:
        start: start of the first step, [s].
        period: duration of a cycle, [s].
        duty: fraction of a cycle in which a leg stands, [-].
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
        """Duration of standing between two steps, [s]."""
        return self.duty * self.period

    def swing(self, time: float, phase: float) -> float | None:
        """Return the progress of a leg's step, from 0 to 1; None while it stands.

        Args:
            time: [s].
            phase: start of the leg's step within the cycle, from 0 to 1.
        """
        turns = (time - self.start) / self.period - phase
        if turns < 0.0:
            return None
        progress = (turns % 1.0) / (1.0 - self.duty)
        return progress if progress < 1.0 else None

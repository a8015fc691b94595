"""The schedule of a motion: phases joined by smooth transitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats
from footfall_controllers.balance.phase import Phase

THERE = (1.0, 0.0, 0.0)
"""Progress of a finished transition."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Position of an instant in the schedule.

    Attributes:
        phase: number of the phase.
        smooth: progress of the transition from the previous phase, 0 to 1 (1 in the first), its
            rate [1/s] and its acceleration [1/s^2].
    """

    phase: int
    smooth: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Targets at an instant, each with value, rate and acceleration in rows, (3, ...).

    Attributes:
        feet: the supporting feet.
        share: shape (3, n_feet), weight of each foot in the point under the mass centre, [-].
        com: shape (3, 3), offset of the mass centre from there; its rise over the initial one, [m].
        lift: shape (3, n_feet, 3), offsets of feet in the air, [m].
        lean: shape (3, 3), roll, pitch and yaw of the base, [rad].
        joints: shape (3, n_joints), positions, [rad or m].
        load: shape (n_feet,), fraction of the robot's weight that each foot may carry; inf: no
            limit.
    """

    feet: tuple[str, ...]
    share: Floats
    com: Floats
    lift: Floats
    lean: Floats
    joints: Floats
    load: Floats


class Schedule:
    """Targets as a function of time alone.

    From one phase to the next every quantity follows the minimum-jerk polynomial from rest to rest
    (Flash and Hogan, Journal of Neuroscience 5, 1985), ``s = 10 x^3 - 15 x^4 + 6 x^5`` with
    ``x = (t - start) / transition``.
    """

    def __init__(
        self,
        phases: Sequence[Phase],
        feet: Sequence[str],
        postures: Sequence[Floats],
        load_time: float,
    ) -> None:
        """Collect the targets of all phases.

        Args:
            phases: phases in the order of time.
            feet: all feet of the robot.
            postures: target posture of each phase, shape (n_joints,), [rad or m].
            load_time: time in which a foot takes or loses its load, [s].
        """
        self._phases, self._load_time = phases, load_time
        self._starts = np.array([phase.start for phase in phases])
        self._rows = [
            _row(phase, feet, joints) for phase, joints in zip(phases, postures, strict=True)
        ]
        ends = np.cumsum([len(feet), 3, 3 * len(feet), 3, len(postures[0])])
        self._parts = [slice(a, b) for a, b in zip((0, *ends), ends, strict=False)]
        self._spans = [_spans(phases, foot) for foot in feet]
        self._n = len(feet)

    def progress(self, time: float) -> Progress:
        """Return the position of a time [s] in the schedule."""
        k = max(int(np.searchsorted(self._starts, time + 1e-9, side="right")) - 1, 0)
        phase = self._phases[k]
        elapsed = time - phase.start
        if k and elapsed < phase.transition:
            return Progress(k, minimum_jerk(max(elapsed, 0.0), phase.transition))
        return Progress(k, THERE)

    def at(self, time: float) -> Wanted:
        """Return the targets at a time [s]."""
        progress = self.progress(time)
        k, (s, rate, acceleration) = progress.phase, progress.smooth
        now, before = self._rows[k], self._rows[max(k - 1, 0)]
        rows = np.zeros((3, len(now)))
        rows[0] = now
        if progress.smooth != THERE:
            change = now - before
            rows[0] = before + s * change
            rows[1], rows[2] = rate * change, acceleration * change
        share, com, lift, lean, joints = (rows[:, part] for part in self._parts)
        return Wanted(
            self._phases[k].feet,
            share,
            com,
            lift.reshape(3, self._n, 3),
            lean,
            joints,
            np.array([self._load(spans, time) for spans in self._spans]),
        )

    def _load(self, spans: Sequence[tuple[float, float]], time: float) -> float:
        """Return the fraction of the weight that a foot may carry."""
        for start, end in spans:
            near = min(time - start, end - time)
            if -1e-9 <= near < self._load_time:
                return minimum_jerk(max(near, 0.0), self._load_time)[0]
        return np.inf


def minimum_jerk(elapsed: float, duration: float) -> tuple[float, float, float]:
    """Return the polynomial from 0 to 1, its rate [1/s] and its acceleration [1/s^2].

    Args:
        elapsed: time since its start, [s], from 0 to ``duration``.
        duration: duration of the transition, [s].
    """
    x = elapsed / duration
    s = x * x * x * (10.0 + x * (6.0 * x - 15.0))
    rate = 30.0 * x * x * (1.0 - x) ** 2 / duration
    return s, rate, 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / duration**2


def _row(phase: Phase, feet: Sequence[str], joints: Floats) -> Floats:
    """Return all quantities of a phase in one row."""
    weights: Mapping[str, float] = phase.over or dict.fromkeys(phase.feet, 1.0)
    total = sum(weights.values())
    return np.concatenate(
        [
            [weights.get(foot, 0.0) / total for foot in feet],
            [*phase.com_offset, phase.com_rise],
            np.ravel([phase.lift.get(foot, (0.0, 0.0, 0.0)) for foot in feet]),
            phase.lean,
            joints,
        ]
    )


def _spans(phases: Sequence[Phase], foot: str) -> list[tuple[float, float]]:
    """Return the time spans in which a foot supports, [s]; -inf and inf at the motion's ends."""
    spans: list[tuple[float, float]] = []
    start: float | None = None
    for k, phase in enumerate(phases):
        carries = foot in phase.feet
        if carries and start is None:
            start = phase.start if k else -np.inf
        if not carries and start is not None:
            spans.append((start, phase.start))
            start = None
    if start is not None:
        spans.append((start, np.inf))
    return spans

"""The footsteps of a walk, in place and time: steps straight ahead, feet level and parallel.

A walk stands, shifts its weight, makes its steps (single support, then double support, each) and
stands again with its feet side by side. The swing foot follows polynomials of the fifth degree
that start and end at rest, without acceleration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
SIDES = ("l", "r")


@dataclass(frozen=True)
class Gait:
    """A walk.

    Attributes:
        steps: how many; the left foot begins, the last step brings the feet side by side.
        length: of a step, from foot to foot along x, [m].
        half_width: from the middle to the ankle of either foot, [m].
        single: duration of single support, [s].
        double: duration of double support, [s].
        stand: at the start, the weight's first shift at its end included, [s].
        shift: duration of the first and of the last shift of the weight, [s].
        settle: standing at the end, the weight's last shift included, [s].
        clearance: height of the swing foot in the middle of its way, [m].
        ahead: zero-moment point of single support in front of the ankle, [m].
    """

    steps: int = 12
    length: float = 0.25
    half_width: float = 0.09
    single: float = 0.65
    double: float = 0.15
    stand: float = 2.4
    shift: float = 0.5
    settle: float = 2.0
    clearance: float = 0.05
    ahead: float = 0.025

    @property
    def period(self) -> float:
        """Duration of a step, [s]."""
        return self.single + self.double

    @property
    def duration(self) -> float:
        """Of the walk, [s]."""
        return self.stand + self.steps * self.period - self.double + self.settle

    def swing(self, k: int) -> tuple[int, float, float, float, float]:
        """Return step k's side (0 left, 1 right), lift and touch-down time [s], start and end [m].

        Args:
            k: from 0.
        """
        lift = self.stand + k * self.period
        last = k == self.steps - 1
        start, end = max(k - 1, 0) * self.length, (k if last else k + 1) * self.length
        return k % 2, lift, lift + self.single, start, end

    def zero_moment_points(self, middle: float) -> tuple[Floats, Floats]:
        """Return corners of a polyline over time: times (n,), [s], and points (n, 2), [m].

        Args:
            middle: x of the centre of mass while standing, with the ankles at x = 0, [m].
        """
        rows = [(0.0, middle, 0.0), (self.stand - self.shift, middle, 0.0)]
        for k in range(self.steps):
            side, lift, down, _, end = self.swing(k)
            support = k * self.length
            y = -self.half_width if side == 0 else self.half_width
            rows += [(lift, support + self.ahead, y), (down, support + self.ahead, y)]
        stop = down + self.shift
        rows += [(stop, end + middle, 0.0), (self.duration, end + middle, 0.0)]
        table = np.array(rows)
        return table[:, 0], table[:, 1:]

    def feet(self, time: float) -> Floats:
        """Return the ankles' ways over ground: shape (2, 3), left and right, z above start, [m]."""
        at = np.array([[0.0, self.half_width, 0.0], [0.0, -self.half_width, 0.0]])
        for k in range(self.steps):
            side, lift, down, start, end = self.swing(k)
            part = np.clip((time - lift) / (down - lift), 0.0, 1.0)
            if part > 0.0:
                at[side, 0] = start + (end - start) * smooth(part)
                at[side, 2] = self.clearance * bump(part)
        return at

    def load(self, time: float) -> float:
        """Return the left foot's share of the weight, 0 to 1."""
        times, points = self.zero_moment_points(0.0)
        y = np.interp(time, times, points[:, 1])
        return float(0.5 + 0.5 * y / self.half_width)


def smooth(part: float) -> float:
    """Return ``10 s^3 - 15 s^4 + 6 s^5``: from 0 to 1, at rest at both ends."""
    return part**3 * (10.0 - 15.0 * part + 6.0 * part**2)


def bump(part: float) -> float:
    """Return ``64 s^3 (1 - s)^3``: from 0 to 1 and back to 0, at rest at both ends."""
    return 64.0 * (part * (1.0 - part)) ** 3

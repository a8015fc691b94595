"""The command of a trajectory at a time, as a kernel."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.api.kernels import inner, kernel, opener
from footfall.api.plugin import Floats1, Floats2, Ints1


class Clock(IntEnum):
    """Places in ``TrackArrays.clock``."""

    START = 0
    """Simulated time of the first row, [s]."""
    AHEAD = 1
    """Time ahead at which targets are read, [s]."""
    LENGTH = 2
    """Time from the first row to the last, [s]."""


class TrackArrays(NamedTuple):
    """Arrays of a trajectory and of the command that tracks it.

    Attributes:
        repeats: shape (1,), 1 if the first row follows the last.
        clock: shape (3,), times by ``Clock``, [s].
        moving: shape (m,), indices of the joints in the trajectory.
        time: shape (n,), times of the rows since the first, [s].
        position: shape (4 (n - 1), m), polynomials from each row on, highest power first.
        torque_time: shape (k,), times of torques; k = 0 if there are none.
        torque: shape (4 (k - 1), m), polynomials of torques.
        own_stiffness: shape (joints,), gains; own_damping: likewise; hold: initial positions.
        tau: shape (joints,), the command; likewise stiffness, damping, target, target_rate.
    """

    repeats: Ints1
    clock: Floats1
    moving: Ints1
    time: Floats1
    position: Floats2
    torque_time: Floats1
    torque: Floats2
    own_stiffness: Floats1
    own_damping: Floats1
    hold: Floats1
    tau: Floats1
    stiffness: Floats1
    damping: Floats1
    target: Floats1
    target_rate: Floats1


arrays = opener(TrackArrays, 0)


@inner
def within(own, since):
    """Return the time on the curve for a time since the first row, [s]."""
    if own.repeats[0] == 1 and since > 0.0:
        return since % own.clock[Clock.LENGTH]
    return min(max(since, 0.0), own.clock[Clock.LENGTH])


@inner
def row_at(time, since):
    """Return the number of the last row not after a time, at most the last but one."""
    low, high = 0, len(time) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if time[middle] <= since:
            low = middle
        else:
            high = middle
    return low


@kernel
def track(table, time):
    """Write the command of ``Trajectory`` at a time [s]."""
    own = arrays(table)
    for i in range(len(own.tau)):
        own.stiffness[i], own.damping[i] = own.own_stiffness[i], own.own_damping[i]
        own.target[i], own.target_rate[i], own.tau[i] = own.hold[i], 0.0, 0.0
    since = time - own.clock[Clock.START]
    later = since + own.clock[Clock.AHEAD]
    target, part = within(own, later), own.position
    k = row_at(own.time, target)
    t = target - own.time[k]
    moves = later >= 0.0 and (own.repeats[0] == 1 or later <= own.clock[Clock.LENGTH])
    for j in range(len(own.moving)):
        i = own.moving[j]
        a, b, c, d = part[4 * k, j], part[4 * k + 1, j], part[4 * k + 2, j], part[4 * k + 3, j]
        own.target[i] = ((a * t + b) * t + c) * t + d
        if moves:
            own.target_rate[i] = (3.0 * a * t + 2.0 * b) * t + c
    if len(own.torque_time) > 0:
        now, part = within(own, since), own.torque
        k = row_at(own.torque_time, now)
        t = now - own.torque_time[k]
        for j in range(len(own.moving)):
            slope, start = part[4 * k + 2, j], part[4 * k + 3, j]
            own.tau[own.moving[j]] = slope * t + start

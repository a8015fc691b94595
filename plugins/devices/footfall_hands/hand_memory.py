"""The memory of a hand from step to step, and its motion that follows its device's readings."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import IntEnum
from typing import Any, get_args

import numpy as np

from footfall.api.advanced import HandMode, HandsWorld, sized
from footfall.api.plugin import Floats, SimulationError
from footfall.api.viewer import Reading
from footfall_hands.grip import rotation_vector
from footfall_hands.settings import HandSettings

SIZE = 50
"""Length of the array of a hand's memory."""
FARTHEST = 1e15
"""Greatest number in it, in any unit."""


class HandFlag(IntEnum):
    """Places in ``HandMemory.flags``."""

    FOLLOWS = 0
    """Whether the hand was closed at the previous reading."""
    MUST_OPEN = 1
    """Whether it must open before it closes again."""
    NEWEST_GRIP = 2
    """Number of the newest grip."""


class HandMemory:
    """Named views of an array of ``SIZE`` numbers, all zero at the start.

    Attributes:
        held: shape (7,): number of the grip, 0 while nothing is held; global link; point in its
            frame [m]; effective mass [kg] and inertia [kg m^2] when it was grabbed.
        flags: shape (3,), by ``HandFlag``.
        position: shape (3,), position of the hand at the start of the step, [m].
        velocity: shape (6,), linear and angular velocity of the hand, [m/s, rad/s].
        rotation: shape (3, 3), orientation of the hand at the start of the step.
        offset: shape (3, 3), orientation of the link in the hand's axes when it was grabbed.
        reading: shape (3,), last position from the device, [m].
        pace: shape (2,), estimated time between readings that differ; time since the last reading
            that differed, [s].
        stuck: shape (2, 4), anchor of the touching ball, one row for a link and one for fixed
            objects: 0 while it touches none, else 1 + the absolute value of the link's number; the
            point, in the link's frame, [m].
    """

    def __init__(self, array: Floats) -> None:
        self._array = array
        self.held, self.flags = array[0:7], array[7:10]
        self.position, self.velocity = array[10:13], array[13:19]
        self.rotation, self.offset = (array[k : k + 9].reshape(3, 3) for k in (19, 28))
        self.reading, self.pace = array[37:40], array[40:42]
        self.stuck = array[42:50].reshape(2, 4)

    @classmethod
    def bounds(cls, links: int) -> Floats:
        """Return its bounds among so many links, see ``Interaction.memory_bounds``."""
        found = np.array([[-FARTHEST], [FARTHEST], [0.0]]).repeat(SIZE, axis=1)
        low, high, whole = map(cls, found)
        low.held[:2], high.held[1] = (-1.0, 0.0), max(links - 1, 0)
        low.held[5:] = low.flags[:] = low.pace[:] = low.stuck[:, 0] = 0.0
        high.flags[:2], high.stuck[:, 0] = 1.0, (links, 1 - HandsWorld.FIXED)
        whole.held[:2] = whole.flags[:] = whole.stuck[:, 0] = 1.0
        return found

    def copy_from(self, other: HandMemory) -> None:
        """Copy the memory of another hand."""
        self._array[:] = other._array

    @property
    def links(self) -> tuple[int, int]:
        """Global links that the hand holds and that its ball rests on; -1: none."""
        held = int(self.held[1]) if self.held[0] > 0.0 else -1
        return held, int(self.stuck[0, 0]) - 1

    def renumber(self, held: int, touched: int) -> None:
        """Replace the numbers of these links; -1: the link is gone."""
        if self.held[0] > 0.0:
            self.held[1] = held
            if held < 0:
                self.held[:] = 0.0
        self.stuck[0, 0] = 1.0 + touched


FIRST = 1.0 / 60.0
"""Time expected between two readings when a hand has just closed, [s]."""
PAUSE = 0.3
"""Longest time between two readings that differ, [s]; after it the hand rests."""
SHARE = 0.5
"""Time constant of following per second between two readings that differ, [s/s]."""
UNTURNED = np.eye(3)


def follow(
    memory: HandMemory, reading: Reading, settings: HandSettings, dt: float, *, live: bool
) -> None:
    """Compute the position of a hand at the start of a step, and its velocity in the step.

    The hand takes the readings of a scripted device unchanged. If they have no velocity, it is the
    rate of the position, low-pass filtered with ``velocity_filter``. Readings of a device that
    somebody moves jump if they have no velocity. The hand then follows them, critically damped:

        ``x'' = w^2 (r - x) - 2 w x'``,

    solved exactly over the step for a constant reading ``r``. Position and velocity of the hand
    have no jumps, and both begin to change in the step of a new reading. ``1/w`` is half the time
    between two readings that differ, at least ``follow_time``. A slower device is thus followed
    more slowly: the hand lags a steady motion by ``2/w``. The hand of ``memory`` moves uniformly
    during the step and is at ``x`` at its end. Rotations are followed likewise.

    Args:
        memory: memory of the hand.
        reading: a checked reading.
        settings: settings of the hand.
        dt: length of the step, [s].
        live: whether somebody moves the device during the run.

    Raises:
        SimulationError: if the reading is too far from the previous one.
    """
    rotation = UNTURNED if reading.rotation is None else reading.rotation
    if not memory.flags[HandFlag.FOLLOWS]:
        memory.velocity[:], memory.pace[:] = 0.0, (FIRST, 0.0)
        memory.position[:] = memory.reading[:] = reading.position
        memory.rotation[:] = rotation
    way = reading.position - memory.reading
    far = float(np.linalg.norm(way))
    if far > settings.max_jump:
        raise SimulationError(
            f"it has moved by {far:.4g} m from one reading to the next, allowed are "
            f"{settings.max_jump:g} m"
        )
    turns = reading.rotation is not None
    if live and settings.follow_time > 0.0:
        w = 1.0 / _time_constant(memory.pace, far > 0.0, settings.follow_time, dt)
        _glide(memory, reading.position, w, dt)
        if turns:
            _turn(memory, rotation, w, dt)
    else:
        share = dt / (settings.velocity_filter + dt)
        spin = rotation_vector(rotation @ memory.rotation.T) if turns else np.zeros(3)
        memory.velocity += (np.concatenate([way, spin]) / dt - memory.velocity) * share
        memory.position[:], memory.rotation[:] = reading.position, rotation
    if reading.velocity is not None:
        memory.position[:], memory.velocity[:3] = reading.position, reading.velocity
    memory.reading[:], memory.flags[HandFlag.FOLLOWS] = reading.position, 1.0


def _time_constant(pace: Floats, moved: bool, least: float, dt: float) -> float:
    """Return the time constant of following, [s]; note how often readings come."""
    pace[1] += dt
    if moved:
        gap, before = float(pace[1]), float(pace[0])
        if gap <= PAUSE:
            # Slow down at once, speed up gradually: a single late reading causes no jerk.
            pace[0] = gap if gap > before else 0.5 * (gap + before)
        pace[1] = 0.0
    return max(least, SHARE * float(pace[0]))


def _settled(away: Floats, rate: Floats, w: float, dt: float) -> tuple[Floats, Floats]:
    """Return a critically damped deviation and its rate after a step."""
    slope, decay = rate + w * away, math.exp(-w * dt)
    return (away + dt * slope) * decay, (rate - w * dt * slope) * decay


def _glide(memory: HandMemory, wanted: Floats, w: float, dt: float) -> None:
    """Follow a position."""
    velocity = memory.velocity[:3]
    away = memory.position + dt * velocity - wanted
    left, velocity[:] = _settled(away, velocity, w, dt)
    memory.position[:] = wanted + left - dt * velocity


def _turn(memory: HandMemory, wanted: Floats, w: float, dt: float) -> None:
    """Follow an orientation: the deviation is a rotation vector in the world's axes."""
    spin = memory.velocity[3:]
    here = _turned(dt * spin) @ memory.rotation
    left, spin[:] = _settled(rotation_vector(here @ wanted.T), spin, w, dt)
    memory.rotation[:] = _turned(-dt * spin) @ _turned(left) @ wanted


def _turned(vector: Floats) -> Floats:
    """Return the rotation matrix of a rotation vector [rad]."""
    from scipy.spatial.transform import Rotation

    rotation: Floats = Rotation.from_rotvec(vector).as_matrix()
    return rotation


TRUE = 1e-6
"""Largest error of a rotation matrix, [-]."""


def checked(reading: Any) -> Reading:
    """Return a reading with float64 arrays of the right shapes.

    Raises:
        SimulationError: if it is not a Reading, a value has the wrong shape or is not finite, or
            the rotation is not a rotation matrix.
    """
    if not isinstance(reading, Reading):
        raise SimulationError(f"expected a Reading, got {type(reading).__name__}")
    if reading.mode is not None and reading.mode not in get_args(HandMode):
        raise SimulationError(f"mode is {reading.mode!r}, allowed: {', '.join(get_args(HandMode))}")
    if reading.link is not None and not isinstance(reading.link, str):
        raise SimulationError(f"link must be text, got {type(reading.link).__name__}")
    return replace(
        reading,
        holds=True,
        position=sized(reading.position, 3, "position"),
        rotation=None if reading.rotation is None else _rotation(reading.rotation),
        velocity=_given(reading.velocity, "velocity"),
        force=_given(reading.force, "force"),
        point=_given(reading.point, "point"),
    )


def _given(values: Any, what: str) -> Floats | None:
    return None if values is None else sized(values, 3, what)


def _rotation(values: Any) -> Floats:
    turned = sized(np.ravel(values), 9, "rotation").reshape(3, 3)
    if np.abs(turned @ turned.T - np.eye(3)).max() > TRUE or np.linalg.det(turned) < 0.0:
        raise SimulationError("rotation must be a rotation matrix")
    return turned

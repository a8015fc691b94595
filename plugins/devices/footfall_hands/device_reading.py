"""What the device of a hand says: checked, and followed smoothly where it comes in jumps."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from footfall.api.config import sized
from footfall.api.errors import SimulationError
from footfall.api.interaction import HandMode, Reading
from footfall.api.plugin import Floats
from footfall_hands.grip import rotation_vector
from footfall_hands.hand_memory import FOLLOWS, HandMemory
from footfall_hands.settings import HandSettings

FIRST = 1.0 / 60.0
"""Time between two readings that is expected of a hand that has just closed, [s]."""
PAUSE = 0.3
"""Time after which a reading that does not change is a hand that rests, [s]: no slow device."""
SHARE = 0.5
"""Time constant of following, for each second between two readings that differ, [s/s]."""
UNTURNED = np.eye(3)


def follow(
    memory: HandMemory, reading: Reading, settings: HandSettings, dt: float, *, live: bool
) -> None:
    """Find where a hand is at the start of a step, and how fast it moves in it.

    What is a function of time is taken as it says; a velocity that it leaves out is the change of
    the position, through a low-pass filter of ``velocity_filter``. What somebody moves, and gives
    no velocity, comes in jumps: the hand follows it critically damped,

        ``x'' = w^2 (r - x) - 2 w x'``,

    solved exactly over the step for a reading ``r`` that stays. Position and velocity of the hand
    have no jumps, and both begin to change in the step of a new reading. ``1/w`` is half the time
    between two readings that differ, at least ``follow_time``: a slower device is followed more
    slowly, by ``2/w`` behind a hand that moves steadily. The hand of ``memory`` moves uniformly
    during the step and is where ``x`` is at its end. Turning is followed likewise.

    Args:
        memory: of the hand.
        reading: checked.
        settings: of the hand.
        dt: length of the step, [s].
        live: whether somebody moves the device as the run goes.

    Raises:
        SimulationError: if the reading is too far from the one before.
    """
    rotation = UNTURNED if reading.rotation is None else reading.rotation
    if not memory.flags[FOLLOWS]:
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
    memory.reading[:], memory.flags[FOLLOWS] = reading.position, 1.0


def _time_constant(pace: Floats, moved: bool, least: float, dt: float) -> float:
    """Return the time constant of following, [s]; note how often readings come."""
    pace[1] += dt
    if moved:
        gap, before = float(pace[1]), float(pace[0])
        if gap <= PAUSE:
            # At once slower, faster by and by: one late reading of many is not followed by a blow.
            pace[0] = gap if gap > before else 0.5 * (gap + before)
        pace[1] = 0.0
    return max(least, SHARE * float(pace[0]))


def _settled(away: Floats, rate: Floats, w: float, dt: float) -> tuple[Floats, Floats]:
    """Return what is left of a deviation and of its rate after a step, critically damped."""
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
    """Return the rotation of a rotation vector [rad]."""
    from scipy.spatial.transform import Rotation

    rotation: Floats = Rotation.from_rotvec(vector).as_matrix()
    return rotation


TRUE = 1e-6
"""Farthest of a rotation matrix from one, [-]."""


def checked(reading: Any) -> Reading:
    """Return a reading whose arrays are float64 and of the right shapes.

    Raises:
        SimulationError: if it is none, something is of the wrong shape or not finite, or the
            rotation is no rotation matrix.
    """
    if not isinstance(reading, Reading):
        raise SimulationError(f"{type(reading).__name__} is no Reading")
    if reading.mode is not None and reading.mode not in get_args(HandMode):
        raise SimulationError(f"mode is {reading.mode!r}, allowed: {', '.join(get_args(HandMode))}")
    if reading.link is not None and not isinstance(reading.link, str):
        raise SimulationError(f"link is no text but {type(reading.link).__name__}")
    return Reading(
        holds=True,
        position=sized(reading.position, 3, "position"),
        rotation=None if reading.rotation is None else _rotation(reading.rotation),
        velocity=_given(reading.velocity, "velocity"),
        force=_given(reading.force, "force"),
        link=reading.link,
        point=_given(reading.point, "point"),
        mode=reading.mode,
    )


def _given(values: Any, what: str) -> Floats | None:
    return None if values is None else sized(values, 3, what)


def _rotation(values: Any) -> Floats:
    turned = sized(np.ravel(values), 9, "rotation").reshape(3, 3)
    if np.abs(turned @ turned.T - np.eye(3)).max() > TRUE or np.linalg.det(turned) < 0.0:
        raise SimulationError("rotation is no rotation matrix")
    return turned

"""Check what a device says: of the right shapes, and finite."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from footfall.config.numbers import sized
from footfall.errors import SimulationError
from footfall.interfaces.input_device import HandMode, Reading
from footfall.typing import Floats

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
        position=_numbers(reading.position, "position"),
        rotation=None if reading.rotation is None else _rotation(reading.rotation),
        velocity=_given(reading.velocity, "velocity"),
        force=_given(reading.force, "force"),
        link=reading.link,
        point=_given(reading.point, "point"),
        mode=reading.mode,
    )


def _numbers(values: Any, what: str) -> Floats:
    try:
        return sized(values, 3, what)
    except (TypeError, ValueError) as error:
        raise SimulationError(f"{what} is no array of numbers") from error


def _given(values: Any, what: str) -> Floats | None:
    return None if values is None else _numbers(values, what)


def _rotation(values: Any) -> Floats:
    try:
        turned = sized(np.ravel(values), 9, "rotation").reshape(3, 3)
    except (TypeError, ValueError) as error:
        raise SimulationError("rotation is no array of numbers") from error
    if np.abs(turned @ turned.T - np.eye(3)).max() > TRUE or np.linalg.det(turned) < 0.0:
        raise SimulationError("rotation is no rotation matrix")
    return turned

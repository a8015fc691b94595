"""Messages between a hand and the program that moves it.

A message is one JSON object as text, at most ``LONGEST`` characters long. A message to the hand is
``{"position": [x, y, z], "button": true}``, in metres. Optional keys are
``"rotation": [x, y, z, w]`` (a quaternion), ``"velocity"`` [m/s], ``"force"`` [N], ``"link"``,
``"point"`` [m] and ``"mode"``. The reply is ``{"time": t, "force": [...], "moment": [...]}``.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn, get_args

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.advanced import HandMode
from footfall.api.plugin import Floats
from footfall.api.viewer import Reading

LONGEST = 4096
"""Longest message, [characters]."""
KEYS = ("position", "button", "rotation", "velocity", "force", "link", "point", "mode")
UNIT = 1e-2
"""Largest deviation of a quaternion's length from 1, [-]."""
LARGEST = 1e6
"""Largest number allowed in a message, [m, m/s or N]."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """Pose and scale of a device's space in the world.

    Attributes:
        origin: shape (3,), origin of the device's space, world, [m].
        rotation: shape (3, 3), orientation of the device's axes in the world.
        scale: metres in the world per metre of the device, [-].
    """

    origin: Floats
    rotation: Floats
    scale: float


def parse(message: str | bytes, space: Workspace) -> Reading:
    """Return the reading of a message, in the world.

    Raises:
        ValueError: if the message is invalid; the reason in one line.
    """
    said = _table(message)
    for key in said:
        if key not in KEYS:
            raise ValueError(f"unknown key {key[:40]!r} (allowed: {', '.join(KEYS)})")
    if "position" not in said or not isinstance(said.get("button"), bool):
        raise ValueError("needs position, and button true or false")
    turn, scale = space.rotation, space.scale
    rotation = None if "rotation" not in said else turn @ _rotation(said["rotation"])
    velocity, force = (_vector(said, key) for key in ("velocity", "force"))
    position = _vector(said, "position")
    assert position is not None
    return Reading(
        holds=said["button"],
        position=space.origin + scale * (turn @ position),
        rotation=rotation,
        velocity=None if velocity is None else scale * (turn @ velocity),
        force=None if force is None else turn @ force,
        link=_name(said, "link"),
        point=_vector(said, "point"),
        mode=_mode(said),
    )


def felt(time: float, force: Floats, moment: Floats, space: Workspace) -> str:
    """Return the message with force [N] and moment [N m], along the device's axes."""
    back = space.rotation.T
    fields = {
        "time": time,
        "force": [round(float(x), 6) for x in back @ force],
        "moment": [round(float(x), 6) for x in back @ moment],
    }
    return json.dumps(fields, separators=(",", ":"))


def _table(message: str | bytes) -> dict[str, Any]:
    if not isinstance(message, str):
        raise ValueError("a message must be text")
    if len(message) > LONGEST:
        raise ValueError(f"longer than {LONGEST} characters")
    try:
        said = json.loads(message, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {str(error)[:80]}") from error
    if not isinstance(said, dict):
        raise ValueError("must be a JSON object")
    return said


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _vector(said: dict[str, Any], key: str, n: int = 3) -> Floats | None:
    if key not in said or said[key] is None:
        if key == "position":
            raise ValueError("position is missing")
        return None
    return _numbers(said[key], key, n)


def _numbers(values: Any, key: str, n: int) -> Floats:
    if not isinstance(values, list) or len(values) != n:
        raise ValueError(f"{key} must be a list of {n} numbers")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{key} must be a list of {n} numbers")
        if not abs(value) <= LARGEST:
            raise ValueError(f"{key} is larger than {LARGEST:g}")
    return np.array([float(value) for value in values])


def _rotation(values: Any) -> Floats:
    quaternion = _numbers(values, "rotation", 4)
    if not math.isclose(float(np.linalg.norm(quaternion)), 1.0, abs_tol=UNIT):
        raise ValueError("rotation must be a quaternion x, y, z, w of length 1")
    found: Floats = Rotation.from_quat(quaternion).as_matrix()
    return found


def _name(said: dict[str, Any], key: str) -> str | None:
    value = said.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= 200 or not value.isprintable():
        raise ValueError(f"{key} must be a name")
    return value


def _mode(said: dict[str, Any]) -> HandMode | None:
    value = said.get("mode")
    if value is not None and value not in get_args(HandMode):
        raise ValueError(f"mode must be one of {', '.join(get_args(HandMode))}")
    return value

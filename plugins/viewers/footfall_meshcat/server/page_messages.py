"""Messages of a page to the server: one JSON object each, parsed strictly.

``docs/reference/viewer-messages.md`` lists the messages with their fields and bounds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast, get_args

import numpy as np

from footfall.api.advanced import (
    CreateObject,
    DeleteObject,
    HandMode,
    Pause,
    Play,
    Restart,
    SingleStep,
    Speed,
    Tune,
    ViewerCommand,
    WatchSignals,
)
from footfall.api.plugin import Floats
from footfall.api.viewer import Reading
from footfall_meshcat.server.fields import Fields

MAX_MESSAGE = 4096
"""Longest accepted message of a page, [byte]."""
MAX_SERIAL = 2**53
"""Largest serial number [-]: the largest exact integer in JavaScript."""
FAR = 1e5
"""Largest coordinate, [m]."""
FAST = 1e3
"""Largest component of a velocity, [m/s]."""
NAME = 200
"""Longest name of a body, link, signal or tunable, [characters]."""
WATCHED = 16
"""Largest number of signals that a page may watch, [-]."""
SIZES = {"box": (3,), "sphere": (1,), "cylinder": (2,), "mesh": (1, 3)}
"""Allowed counts of numbers in the size of each kind of object."""
_FOLDERS = re.compile(r"(?!.*\.\.)[\w][\w ./+-]*", re.ASCII)
"""Pattern of a mesh file's path that stays within its folder."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Message: the page has built the scene of that identity and wants frames."""

    scene: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Message: the page has taken a frame."""


@dataclass(frozen=True, slots=True)
class Take:
    """Message: the page wants the hand."""


@dataclass(frozen=True, slots=True)
class Ping:
    """Message: the page wants this number back."""

    serial: int


@dataclass(frozen=True, slots=True)
class Grab:
    """Message: the page's hand takes hold; its serial number rises."""

    serial: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class Move:
    """Message: the page's hand has moved and still holds; ``reading`` does not tell what."""

    serial: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class Release:
    """Message: the page's hand lets go."""

    serial: int


Said = Ready | Shown | Take | Ping | Grab | Move | Release | ViewerCommand
"""Any message of a page."""


def parse(message: str | bytes) -> Said:
    """Return the parsed message of a page.

    Raises:
        ValueError: if it is not a valid message; with the reason, but without quoting it.
    """
    if not isinstance(message, str):
        raise ValueError("binary message")
    if len(message) > MAX_MESSAGE:
        raise ValueError(f"longer than {MAX_MESSAGE} characters")
    try:
        content = json.loads(message, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    kind = content.pop("type", None) if isinstance(content, dict) else None
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise ValueError("unknown type of message")
    fields = Fields(content)
    try:
        said = read(fields)
        fields.end()
    except ValueError as error:
        raise ValueError(f"{kind}: {error}") from error
    return said


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError("NaN and infinity are not JSON")


def _serial(fields: Fields) -> int:
    return fields.whole("serial", 1, MAX_SERIAL)


def _move(fields: Fields) -> Move:
    serial, position = _serial(fields), fields.numbers("position", (3,), -FAR, FAR)
    turned = fields.has("rotation")
    rotation = _rotation(fields.numbers("rotation", (4,), -2.0, 2.0)) if turned else None
    force = fields.numbers("force", (3,), -1e4, 1e4) if fields.has("force") else None
    return Move(serial, Reading(True, position, rotation, force=force))


def _rotation(quaternion: Floats) -> Floats:
    """Return the matrix of a quaternion x, y, z, w with unit length within one percent."""
    length = float(np.linalg.norm(quaternion))
    if not abs(length - 1.0) < 0.01:
        raise ValueError("rotation must be a quaternion of unit length")
    x, y, z, w = quaternion / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _grab(fields: Fields) -> Grab:
    chosen = fields.choice("mode", get_args(HandMode)) if fields.has("mode") else None
    link = fields.text("link", NAME) if fields.has("link") else None
    point = fields.numbers("point", (3,), -FAR, FAR) if fields.has("point") else None
    if point is not None and link is None:
        raise ValueError("point without link")
    move, mode = _move(fields), cast(HandMode | None, chosen)
    return Grab(move.serial, replace(move.reading, link=link, point=point, mode=mode))


def _vector(fields: Fields, key: str, low: float, high: float) -> tuple[float, float, float]:
    return cast(tuple[float, float, float], tuple(fields.numbers(key, (3,), low, high).tolist()))


def _create(fields: Fields) -> CreateObject:
    kind: Any = fields.choice("kind", CreateObject.KINDS)
    return CreateObject(
        kind,
        tuple(fields.numbers("size", SIZES[kind], 1e-4, 1e3).tolist()),
        _vector(fields, "position", -FAR, FAR),
        _vector(fields, "velocity", -FAST, FAST) if fields.has("velocity") else (0.0, 0.0, 0.0),
        fields.number("density", 1e-3, 1e6) if fields.has("density") else 500.0,
        _vector(fields, "color", 0.0, 1.0) if fields.has("color") else None,
        _mesh(fields) if kind == "mesh" else None,
        fields.text("name", NAME) if fields.has("name") else None,
    )


def _mesh(fields: Fields) -> str:
    path = fields.text("mesh", NAME)
    if not _FOLDERS.fullmatch(path):
        raise ValueError("mesh must be the path of a file within a folder")
    return path


def _watch(fields: Fields) -> WatchSignals:
    names = fields.texts("signals", WATCHED, NAME)
    if len(set(names)) < len(names):
        raise ValueError("signals has a duplicate")
    return WatchSignals(names)


_READERS: Mapping[str, Callable[[Fields], Said]] = {
    "ready": lambda fields: Ready(fields.text("scene", 64)),
    "shown": lambda fields: Shown(),
    "ping": lambda fields: Ping(_serial(fields)),
    "take": lambda fields: Take(),
    "grab": _grab,
    "move": _move,
    "release": lambda fields: Release(_serial(fields)),
    "play": lambda fields: Play(),
    "pause": lambda fields: Pause(),
    "step": lambda fields: SingleStep(fields.whole("n", 1, 10_000) if fields.has("n") else 1),
    "restart": lambda fields: Restart(),
    "speed": lambda fields: Speed(fields.number("value", 0.0, 1e3)),
    "tune": lambda fields: Tune(fields.text("path", NAME), fields.number("value", -1e12, 1e12)),
    "create": _create,
    "delete": lambda fields: DeleteObject(fields.text("body", NAME)),
    "watch": _watch,
}
"""Parser of the fields of each type of message."""

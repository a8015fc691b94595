"""The status of the run, as text for pages."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any, Literal

import numpy as np

from footfall.api.advanced import LiveStatus
from footfall_meshcat.recorded.marks import mark_of

Holder = Literal["you", "other"] | None
"""Holder of the hand from one page's point of view."""
STEADY = ("bodies", "tunables", "signals")
"""Parts of a status that are long and seldom change."""


class StatusWriter:
    """A writer of statuses; it writes long parts again only after a change.

    With 300 bodies the long parts take milliseconds, five times a second, in which the simulation
    waits for the interpreter's lock.
    """

    def __init__(self) -> None:
        self._steady: tuple[object, ...] | None = None
        self._written = ""

    def write(self, status: LiveStatus, watch: int) -> tuple[str, str]:
        """Return the fields of a status for ``status_text``: changing and steady ones.

        Args:
            status: status of the run; numbers that are not finite become null.
            watch: number of the list of watched signals, as in the frames that hold their values.
        """
        steady = tuple(getattr(status, name) for name in STEADY)
        if steady != self._steady:
            self._steady = steady
            bodies = [{"name": n, "deletable": d} for n, d in status.bodies.items()]
            told = dict(zip(STEADY, steady, strict=True)) | {"bodies": bodies}
            self._written = _dump(told)[1:-1]
        quick = {
            name.name: getattr(status, name.name)
            for name in fields(status)
            if name.name not in STEADY
        }
        quick["events"] = [mark_of(event) for event in status.events]
        quick["hand"] = {**_plain(status.hand), "size": status.hand.size}
        return _dump({**quick, "watch": watch})[1:-1], self._written


def status_text(*written: str, holder: Holder) -> str:
    """Return the message with these fields for a page, given the holder of the hand."""
    return f'{{"type":"status","holder":{json.dumps(holder)},{",".join(written)}}}'


def _dump(content: dict[str, Any]) -> str:
    return json.dumps(_plain(content), allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Return a value for JSON, with null for numbers that are not finite."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    return value

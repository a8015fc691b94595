"""Marks of events along the timeline of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.api.plugin import Floats

if TYPE_CHECKING:
    import xarray as xr

Mark = dict[str, Any]
"""Kind, time and end [s], text."""
NEAR = 200
"""Marks of one kind closer than the recording's duration over this number are joined, [-]."""

COUNTED = {
    "impacts": ("impact", "impact"),
    "solver_failures": ("message", "the contact solver failed"),
    "unresolved_splits": ("message", "impacts not separated within one step"),
    "restitution_cuts": ("message", "restitution cut to add no energy"),
}
"""Recorded counts of a step: kind and text of their marks."""


def marks_of(run: xr.Dataset) -> list[Mark]:
    """Return impacts, pushes, events and failures: kind, time and end [s], text of each."""
    time = run["time"].values
    found = [mark for name in COUNTED if name in run for mark in _counted(run, name, time)]
    resolved = run.attrs.get("resolved_scene") or {}
    found += [_push(push, float(time[-1])) for push in resolved.get("scene", {}).get("pushes", ())]
    found += [_mark("event", time, time, text) for time, text in run.attrs.get("changes", ())]
    return sorted(found, key=lambda mark: mark["time"])


def _counted(run: xr.Dataset, name: str, time: Floats) -> Iterator[Mark]:
    """Yield a mark for each cluster of rows with a nonzero count."""
    counts = run[name].values
    rows = np.flatnonzero(counts > 0)
    if not len(rows):
        return
    apart = np.diff(time[rows]) > (time[-1] - time[0]) / NEAR
    kind, text = COUNTED[name]
    for part in np.split(rows, np.flatnonzero(apart) + 1):
        count = int(counts[part].sum())
        yield _mark(kind, time[part[0]], time[part[-1]], _told(text, count))


def mark_of(event: tuple[str, float, float, int]) -> Mark:
    """Return the mark of an event of a live run, see ``LiveStatus.events``."""
    name, start, end, count = event
    kind, text = COUNTED.get(name, ("push", name))
    return _mark(kind, start, end, _told(text, count))


def _told(text: str, count: int) -> str:
    return text if count == 1 else f"{text}, {count} times"


def _push(push: Mapping[str, Any], last: float) -> Mark:
    start, duration = float(push.get("start") or 0.0), push.get("duration")
    end = last if duration is None else start + float(duration)
    at = push.get("link") or push.get("joint")
    return _mark("push", start, end, f"push on {at}")


def _mark(kind: str, start: float, end: float, text: str) -> Mark:
    return {"kind": kind, "time": float(start), "end": float(end), "text": text}

"""Recordings of several segments: worlds in which an object came or went, and restarts.

The first segment lies where a recording always does, so that a reader who knows of no segments
finds a whole recording; the others are recordings of their own in its folder ``segments``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.recording.destination import SEGMENTS
from footfall.recording.reader import check_recording, open_run
from footfall.recording.root_document import recorded_attributes

if TYPE_CHECKING:
    import xarray as xr


def next_segment(root: Path, number: int) -> Path:
    """Return where segment ``number`` of a recording is written; 0 is the recording itself."""
    return root / SEGMENTS / str(number) if number else root


def segment_paths(path: str | os.PathLike[str]) -> list[Path]:
    """Return where the segments of a recording are, in the order of time; each opens by itself.

    Raises:
        RecordingError: if there is no recording at the path.
    """
    root = Path(path)
    check_recording(root)
    folder = root / SEGMENTS
    entries = folder.iterdir() if folder.is_dir() else iter(())
    numbers = sorted(int(entry.name) for entry in entries if entry.name.isdecimal())
    begun = [next_segment(root, number) for number in numbers]
    return [root, *(p for p in begun if "recording_closed" in (recorded_attributes(p) or {}))]


def open_segments(path: str | os.PathLike[str]) -> list[xr.Dataset]:
    """Open all segments of a recording, in the order of time, as ``open_run`` opens one.

    A run has one segment unless, while it ran, an object came or went, or it was restarted. The
    attributes ``began_by`` and ``ended_by`` say what happened between two; bodies, joints and
    contacts, and so the sizes of arrays, differ from one to the next.

    Raises:
        RecordingError: if there is no recording at the path, or a newer Footfall wrote it.
    """
    return [open_run(segment) for segment in segment_paths(path)]

"""Write a recording as one page that plays it."""

from __future__ import annotations

from pathlib import Path

from footfall.registry.registry import Registry
from footfall_meshcat.html import write_html
from footfall_meshcat.recorded_motion import recorded_motion


def write_recording_html(
    recording: Path, page: Path, registry: Registry, *, overwrite: bool
) -> None:
    """Write a self-contained page that plays a recording and opens from disk.

    Raises:
        RecordingError: if the recording cannot be shown, or the page exists or cannot be written.
    """
    graph, motion = recorded_motion(recording, registry)
    write_html(
        page,
        graph,
        motion.time,
        motion.poses,
        motion.contact_position,
        motion.contact_force,
        motion.com,
        overwrite=overwrite,
    )

"""Recordings on disk, and what replays draw of them; ``footfall.open_run`` reads their numbers."""

from __future__ import annotations

from footfall.recording.destination import is_recording, remove_recording
from footfall.recording.reader import segment_paths
from footfall.simulation.force_arrows import Arrows
from footfall.simulation.run import frame_poses, scene_graph

__all__ = [
    "Arrows",
    "frame_poses",
    "is_recording",
    "remove_recording",
    "scene_graph",
    "segment_paths",
]

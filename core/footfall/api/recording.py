"""Runs, recordings on disk, and what replays draw; ``footfall.open_run`` reads the numbers."""

from __future__ import annotations

from footfall.recording.destination import is_recording, remove_recording
from footfall.recording.reader import segment_paths
from footfall.simulation.force_arrows import Arrows
from footfall.simulation.run import frame_poses, run_of, scene_graph

__all__ = [
    "Arrows",
    "frame_poses",
    "is_recording",
    "remove_recording",
    "run_of",
    "scene_graph",
    "segment_paths",
]

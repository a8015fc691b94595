"""Visualizers: shown a scene, then frames; the users of interactive ones act on a live run."""

from __future__ import annotations

from footfall.geometry.shapes import Shape
from footfall.interfaces.interactive_visualizer import (
    Command,
    CreateObject,
    DeleteObject,
    HandMove,
    HandRelease,
    InteractiveVisualizer,
    LiveHand,
    LiveStatus,
    Pause,
    Play,
    Restart,
    SingleStep,
    Speed,
    Tune,
    WatchSignals,
)
from footfall.interfaces.visualizer import (
    Frame,
    Ground,
    GroundSurface,
    Node,
    SceneGraph,
    Visualizer,
)

__all__ = [
    "Command",
    "CreateObject",
    "DeleteObject",
    "Frame",
    "Ground",
    "GroundSurface",
    "HandMove",
    "HandRelease",
    "InteractiveVisualizer",
    "LiveHand",
    "LiveStatus",
    "Node",
    "Pause",
    "Play",
    "Restart",
    "SceneGraph",
    "Shape",
    "SingleStep",
    "Speed",
    "Tune",
    "Visualizer",
    "WatchSignals",
]

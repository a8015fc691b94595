"""Visualizers: receive a scene, then frames; users of interactive ones control a live run."""

from __future__ import annotations

from footfall.geometry.shapes import Shape as Shape
from footfall.interfaces.interactive_visualizer import (
    Command as Command,
    CreateObject as CreateObject,
    DeleteObject as DeleteObject,
    HandMove as HandMove,
    HandRelease as HandRelease,
    InteractiveVisualizer as InteractiveVisualizer,
    LiveHand as LiveHand,
    LiveStatus as LiveStatus,
    Pause as Pause,
    Play as Play,
    Restart as Restart,
    SingleStep as SingleStep,
    Speed as Speed,
    Tune as Tune,
    WatchSignals as WatchSignals,
)
from footfall.interfaces.visualizer import (
    Frame as Frame,
    Ground as Ground,
    GroundSurface as GroundSurface,
    SceneGraph as SceneGraph,
    Visualizer as Visualizer,
)

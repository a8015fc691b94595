"""The visualizer role: shown a scene once, then frames of link poses."""

from __future__ import annotations

from footfall.geometry.shapes import Shape
from footfall.interfaces.visualizer import (
    Frame,
    Ground,
    GroundSurface,
    Node,
    SceneGraph,
    Visualizer,
)

__all__ = [
    "Frame",
    "Ground",
    "GroundSurface",
    "Node",
    "SceneGraph",
    "Shape",
    "Visualizer",
]

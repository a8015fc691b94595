"""Visualizers, and input devices that move the hands of a user."""

from __future__ import annotations

from footfall.geometry.shapes import Shape as Shape
from footfall.interfaces.input_device import (
    InputDevice as InputDevice,
    LiveDevice as LiveDevice,
    Reading as Reading,
)
from footfall.interfaces.visualizer import (
    Frame as Frame,
    Ground as Ground,
    GroundSurface as GroundSurface,
    SceneGraph as SceneGraph,
    Visualizer as Visualizer,
)

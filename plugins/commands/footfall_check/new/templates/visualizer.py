"""The visualizer ``new_plugin``: it gets a scene once, then frames."""

from __future__ import annotations

import sys

from pydantic import Field

from footfall.api.plugin import PluginConfig
from footfall.api.viewer import Frame, SceneGraph, Visualizer


class NewPluginConfig(PluginConfig):
    """Settings: the keys of ``[visualizer]`` in a scene."""

    interval: float = Field(default=0.1, gt=0.0)
    """Simulated time between two lines, [s]."""


class NewPlugin(Visualizer):
    """The centre of mass, one line per frame: REPLACE THIS BY YOUR DRAWING.

    ``show`` must return at once: the simulator never waits. The arrays of a frame are overwritten
    afterwards; copy them to keep them.
    """

    name = "new_plugin"
    Config = NewPluginConfig

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def open(self, graph: SceneGraph) -> None:
        """Start showing a scene."""
        print(f"{graph.title}: {graph.n_links} links", file=sys.stderr)

    def show(self, frame: Frame) -> None:
        """Show a frame: link poses, contact forces [N] and centre of mass [m], world frame."""
        x, y, z = frame.com
        print(f"t = {frame.time:.3f} s: com {x:.3f} {y:.3f} {z:.3f} m", file=sys.stderr)

    def close(self) -> None:
        """Release everything; may be called more than once."""

    @property
    def frame_interval(self) -> float | None:
        """Shortest simulated time between frames, [s]."""
        return self.config.interval

"""No visualizer."""

from __future__ import annotations

from footfall.api.viewer import Frame, SceneGraph, Visualizer


class NoVisualizer(Visualizer):
    """Show nothing."""

    name = "none"

    def open(self, graph: SceneGraph) -> None:
        """Do nothing."""

    def show(self, frame: Frame) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

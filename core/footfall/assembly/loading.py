"""From a scene's name to a simulator in one call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from footfall.assembly.assemble import assemble
from footfall.registry.discover import discover
from footfall.scene.load import load_scene
from footfall.simulation.simulator import Simulator


def load(scene: str | Path, overrides: Mapping[str, Any] | None = None) -> Simulator:
    """Load a scene and assemble its simulator.

    Args:
        scene: ``robot/scene`` of a bundled scene, or path of a scene file.
        overrides: values by dotted key, or nested; they replace those of the file.

    Raises:
        FootfallError: names file and key, what was given and what is allowed.
    """
    registry = discover()
    return assemble(load_scene(scene, overrides, registry), registry)

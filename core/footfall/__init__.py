"""Footfall: a plugin-based simulation toolkit for robots that touch the ground.

sim = footfall.load("icub/standing", overrides={"contact.plugin": "coulomb"})
run = sim.run(duration=2.0)
print(run.contact_force.sel(axis="z").sum("contact"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.assembly.assemble import assemble
    from footfall.assembly.objects import with_object, without_object
    from footfall.assembly.saved import load, restore
    from footfall.errors import (
        FootfallError,
        PluginError,
        RecordingError,
        RobotError,
        SceneError,
        SimulationError,
        SolverError,
    )
    from footfall.recording.reader import open_run, open_segments
    from footfall.registry.discover import discover
    from footfall.scene.load import load_scene, scene_from_dict
    from footfall.simulation.simulator import Simulator
    from footfall_compare.compare import compare

_HOME = {
    "FootfallError": "footfall.errors",
    "PluginError": "footfall.errors",
    "RecordingError": "footfall.errors",
    "RobotError": "footfall.errors",
    "SceneError": "footfall.errors",
    "Simulator": "footfall.simulation.simulator",
    "SimulationError": "footfall.errors",
    "SolverError": "footfall.errors",
    "assemble": "footfall.assembly.assemble",
    "compare": "footfall_compare.compare",
    "discover": "footfall.registry.discover",
    "load": "footfall.assembly.saved",
    "load_scene": "footfall.scene.load",
    "open_run": "footfall.recording.reader",
    "open_segments": "footfall.recording.reader",
    "restore": "footfall.assembly.saved",
    "scene_from_dict": "footfall.scene.load",
    "with_object": "footfall.assembly.objects",
    "without_object": "footfall.assembly.objects",
}
__all__ = [
    "FootfallError",
    "PluginError",
    "RecordingError",
    "RobotError",
    "SceneError",
    "SimulationError",
    "Simulator",
    "SolverError",
    "assemble",
    "compare",
    "discover",
    "load",
    "load_scene",
    "open_run",
    "open_segments",
    "restore",
    "scene_from_dict",
    "with_object",
    "without_object",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import footfall`` stays light."""
    if name not in _HOME:
        raise AttributeError(f"module 'footfall' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value

"""Footfall: a plugin-based simulation toolkit for robots that touch the ground.

Load a scene, run it, read the recording::

    sim = footfall.load("icub/standing", overrides={"contact.plugin": "coulomb"})
    run = sim.run(duration=2.0)
    print(run.contact_force.sel(axis="z").sum("contact"))

Authors of plugins import ``footfall.api`` and ``footfall.testing``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.errors import (
        Alarm as Alarm,
        FootfallError as FootfallError,
        PluginError as PluginError,
        RecordingError as RecordingError,
        RobotError as RobotError,
        SceneError as SceneError,
        SimulationError as SimulationError,
        SolverError as SolverError,
    )
    from footfall.jit.announcement import compilations as compilations
    from footfall.model.contact_features import ContactFeature as ContactFeature
    from footfall.model.robot import Robot as Robot, load_robot as load_robot
    from footfall.recording.destination import (
        is_recording as is_recording,
        remove_recording as remove_recording,
    )
    from footfall.recording.reader import (
        open_run as open_run,
        open_segments as open_segments,
        segment_paths as segment_paths,
        table_rows as table_rows,
    )
    from footfall.registry.discover import discover as discover
    from footfall.registry.registry import Registry
    from footfall.scene.fingerprint import changed_defaults as changed_defaults
    from footfall.scene.find import find_scene as find_scene, list_scenes as list_scenes
    from footfall.scene.load import load_scene as load_scene, scene_from_dict as scene_from_dict
    from footfall.scene.resolved import resolved as resolved, stored_scene as stored_scene
    from footfall.scene.scene import Scene as Scene
    from footfall.progress import progress_bar as progress_bar, progress_lines as progress_lines
    from footfall.simulator.role import assemble as assemble, load as load, restore as restore
    from footfall.simulator.run_record import RunReport as RunReport
    from footfall.simulator.simulator import (
        ContactForce as ContactForce,
        Distance as Distance,
        Simulator as Simulator,
    )

_NAMES = {
    "footfall.errors": (
        "Alarm",
        "FootfallError",
        "PluginError",
        "RecordingError",
        "RobotError",
        "SceneError",
        "SimulationError",
        "SolverError",
    ),
    "footfall.model.contact_features": ("ContactFeature",),
    "footfall.model.robot": ("Robot", "load_robot"),
    "footfall.recording.destination": ("is_recording", "remove_recording"),
    "footfall.recording.reader": ("open_run", "open_segments", "segment_paths", "table_rows"),
    "footfall.registry.discover": ("discover",),
    "footfall.scene.find": ("find_scene", "list_scenes"),
    "footfall.scene.load": ("load_scene", "scene_from_dict"),
    "footfall.jit.announcement": ("compilations",),
    "footfall.scene.fingerprint": ("changed_defaults",),
    "footfall.scene.resolved": ("resolved", "stored_scene"),
    "footfall.scene.scene": ("Scene",),
    "footfall.progress": ("progress_bar", "progress_lines"),
    "footfall.simulator.role": ("assemble", "load", "restore"),
    "footfall.simulator.run_record": ("RunReport",),
    "footfall.simulator.simulator": ("ContactForce", "Distance", "Simulator"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
__all__ = sorted(_HOME)  # type checkers take the imports above instead


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import footfall`` stays light.

    A name that is not core's own may be a plugin's function, e.g. ``footfall.compare``.

    Raises:
        AttributeError: if there is no such name; lists broken plugins.
        PluginError: if a plugin offers it but it cannot be loaded.
    """
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif not name.startswith("_"):
        registry = _installed()
        if name not in registry.function:
            broken = "; ".join(f"{b.origin.distribution}: {b.reason}" for b in registry.broken)
            told = f" (broken plugins: {broken})" if broken else ""
            raise AttributeError(f"module 'footfall' has no attribute {name!r}{told}")
        value = registry.find("function", name).load()
    else:
        raise AttributeError(f"module 'footfall' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return core's names and those of installed plugins' functions."""
    return sorted({*__all__, *_installed().function.names()})


def _installed() -> Registry:
    found: Registry = import_module("footfall.registry.discover").discover()
    return found

"""The tree of errors, and the nearest name in a message."""

from __future__ import annotations

from footfall.errors import (
    DataError,
    FootfallError,
    PluginError,
    RecordingError,
    RobotError,
    RobotWarning,
    SceneError,
    SettingError,
    SimulationError,
    SolverError,
    known,
    nearest,
)

__all__ = [
    "DataError",
    "FootfallError",
    "PluginError",
    "RecordingError",
    "RobotError",
    "RobotWarning",
    "SceneError",
    "SettingError",
    "SimulationError",
    "SolverError",
    "known",
    "nearest",
]

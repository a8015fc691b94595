"""The tree of errors, the nearest name in a message, and a foreign exception in one line."""

from __future__ import annotations

from footfall.errors import (
    FootfallError,
    PluginError,
    RecordingError,
    RobotError,
    RobotWarning,
    SceneError,
    SettingError,
    SimulationError,
    SolverError,
    nearest,
    reason,
)

__all__ = [
    "FootfallError",
    "PluginError",
    "RecordingError",
    "RobotError",
    "RobotWarning",
    "SceneError",
    "SettingError",
    "SimulationError",
    "SolverError",
    "nearest",
    "reason",
]

"""The tree of errors, the nearest name in a message, and a foreign exception in one line."""

from __future__ import annotations

from footfall.errors import (
    FootfallError as FootfallError,
    PluginError as PluginError,
    RecordingError as RecordingError,
    RobotError as RobotError,
    RobotWarning as RobotWarning,
    SceneError as SceneError,
    SettingError as SettingError,
    SimulationError as SimulationError,
    SolverError as SolverError,
    nearest as nearest,
    reason as reason,
)

"""The base of every plugin class: registration, errors, types of settings and of arrays."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    error_line as error_line,
)
from footfall.registry import hookimpl as hookimpl
from footfall.registry.registry import Registry as Registry

if TYPE_CHECKING:
    from footfall.config.fields import (
        DataFile as DataFile,
        NonNegative as NonNegative,
        Positive as Positive,
        Text as Text,
        Vector3 as Vector3,
        load_function as load_function,
    )
    from footfall.interfaces.plugin import (
        Capability as Capability,
        Plugin as Plugin,
        PluginConfig as PluginConfig,
        StatePart as StatePart,
        Tunable as Tunable,
    )
    from footfall.typing import (
        Floats as Floats,
        Floats1 as Floats1,
        Floats2 as Floats2,
        Floats3 as Floats3,
        Ints as Ints,
        Ints1 as Ints1,
        Ints2 as Ints2,
    )

_LATE = {
    "footfall.config.fields": "DataFile NonNegative Positive Text Vector3 load_function",
    "footfall.interfaces.plugin": "Capability Plugin PluginConfig StatePart Tunable",
    "footfall.typing": "Floats Floats1 Floats2 Floats3 Ints Ints1 Ints2",
}
_HOME = {name: module for module, names in _LATE.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a name at first use: Pydantic and NumPy would take half the time of ``--help``."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)

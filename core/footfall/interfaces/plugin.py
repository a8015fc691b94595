"""The base of every plugin class: name, interface version, Config, capabilities."""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel

from footfall.config.fields import SCHEMA
from footfall.config.validate import GREATEST

INTERFACE_VERSION = 2
"""Version of the role interfaces that this core offers."""


class Capability(Enum):
    """Features that a plugin supports; checked against the scene's needs before the first step."""

    FRICTION = "friction"
    DIRECTIONAL_FRICTION = "friction by direction"
    """Solves cones whose tangential rows are scaled: its friction is that of the rows."""
    RESTITUTION = "restitution"
    TILTED_TERRAIN = "tilted terrain"
    MOVING_GROUND = "moving ground"
    CURVED_TERRAIN = "curved terrain"
    SEVERAL_BODIES = "several bodies"
    CLOSED_CHAINS = "equality rows"
    """Solves problems with rows of closed loops. In a simulation every law supports closed loops:
    they are eliminated before it is called."""
    CONTACT_STATE = "contact state"
    IMPLICIT_GAINS = "implicit gains"
    FLOATING_BASE = "floating base"
    FIXED_BASE = "fixed base"
    PLANAR_BASE = "planar base"
    URDF = "URDF"
    MJCF = "MJCF"
    WARM_START = "warm start"


class PluginConfig(BaseModel):
    """Base class of every plugin's Config: frozen, strict, no unknown keys, no NaN or infinity."""

    model_config = SCHEMA

    def in_units(self, of: Callable[[float, str], float]) -> dict[str, Any]:
        """Return those fields that have a dimension and were not given, in a scene's units.

        A field's unit is the first text in brackets of its docstring.

        Args:
            of: converts a number from SI units, given its unit, e.g. ``(1e-3, "m/s")``.
        """
        found: dict[str, Any] = {}
        for name, field in type(self).model_fields.items():
            unit, value = re.search(r"\[([^\]]*)\]", field.description or ""), getattr(self, name)
            if unit is None or name in self.model_fields_set:
                continue
            values = value if isinstance(value, tuple) else (value,)
            if all(isinstance(each, float) for each in values):
                new = tuple(of(each, unit[1]) for each in values)
                found[name] = new if isinstance(value, tuple) else new[0]
        return found


@dataclass(frozen=True, slots=True)
class Tunable:
    """A mark of a Config's field that can be changed while a simulation runs.

    Example: ``stiffness: Annotated[float, Tunable(0.0, 5000.0)] = 1000.0``. A plugin that marks a
    field implements ``Plugin.retune``. Only numbers can be tuned, and the numbers of a table, e.g.
    by joint or pattern, one by one; a field with another value is not offered.

    Attributes:
        low: start of a slider, in the field's unit; the field itself sets the allowed range.
        high: end of the slider.
        logarithmic: whether equal distances on the slider are equal factors.
        label: a few words instead of the field's name.
        otherwise: name of a property that replaces the field's value: if the field is None, of the
            Config; if it is a table, of the plugin, with all numbers by key, defaults included.
        acts: name of a property of the Config that is true if the field has an effect with the
            other settings; otherwise it is not offered. By default it always has.
    """

    low: float
    high: float
    logarithmic: bool = False
    label: str = ""
    otherwise: str = ""
    acts: str = ""


class NoConfig(PluginConfig):
    """The Config of a plugin without settings."""


@dataclass(frozen=True, slots=True)
class StatePart:
    """A part of the simulation's state that a plugin owns and core stores, saves and restores.

    Attributes:
        name: unique within the plugin.
        per: ``"global"`` (one row), ``"dof"`` (one row per velocity dof) or ``"contact"`` (one row
            per contact key). Actuators also have ``"joint"`` (one row per joint of the group),
            controllers ``"joint"`` and ``"dof"`` of their body.
        width: number of float64 columns.
        kind: ``"continuous"`` if it is integrated with the robot, ``"discrete"`` otherwise.
            A contact law's continuous parts per contact are recorded as ``contact_NAME``.
        units: SI units, for the recording.
        low, high: least and greatest number; a saved state beyond them is refused, so that the
            plugin may use the part as an index or a count.
        whole: whether the numbers are whole.
    """

    name: str
    per: Literal["global", "dof", "contact", "joint"]
    width: int = 1
    kind: Literal["continuous", "discrete"] = "discrete"
    units: str = "1"
    low: float = -GREATEST
    high: float = GREATEST
    whole: bool = False


class Plugin(ABC):
    """Base class of every role: declarations that are read before any object exists.

    A plugin object holds no state that must survive a restore: such state is declared in
    ``state_parts`` and stored in the simulator's ``State``.
    """

    name: ClassVar[str]
    """Name of the plugin in scene files."""
    interface_version: ClassVar[int] = INTERFACE_VERSION
    """Version of the role interface that the plugin was written for."""
    Config: ClassVar[type[PluginConfig]] = NoConfig
    """The schema of the plugin's table in the scene file."""
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    """Features that the plugin supports."""
    array_keys: ClassVar[frozenset[str]] = frozenset()
    """Settings that act only on problems given as arrays, e.g. on equality rows, which core
    eliminates from a scene's problems: a scene that changes one is rejected."""
    state_parts: tuple[StatePart, ...] = ()
    """The plugin's parts of the simulation's state; set by the constructor if they depend on the
    settings."""

    def __init__(self, config: PluginConfig | None = None) -> None:  # noqa: B027
        """Accept the settings; a class that needs them has a constructor that stores them."""

    def retune(self, config: PluginConfig) -> None:
        """Change the settings; only fields marked ``Tunable`` may differ.

        Called between two steps. The simulation's state stays. From this state on, the plugin must
        give the same bits as an object that had these settings from the start.

        Args:
            config: the new settings, a validated object of the plugin's ``Config``.

        Raises:
            NotImplementedError: if the class marks fields but does not implement this.
        """
        raise NotImplementedError(f"{type(self).__name__} marks fields as tunable without retune")


def bound_call(plugin: Plugin, plain: str, *args: Any, bound: str = "bound") -> Callable[..., Any]:
    """Return ``plugin.bound(*args)``, or the role's if a subclass overrides only ``plain``.

    An inherited ``bound`` might not call the overridden method; the role's own does. The argument
    ``bound`` is the method's name.
    """
    classes = type(plugin).__mro__
    if plain not in vars(plugin):
        for cls in classes:
            if bound in vars(cls):
                return cast("Callable[..., Any]", vars(cls)[bound](plugin, *args))
            if plain in vars(cls):
                break
    role = next(cls for cls in reversed(classes) if bound in vars(cls))
    return cast("Callable[..., Any]", vars(role)[bound](plugin, *args))

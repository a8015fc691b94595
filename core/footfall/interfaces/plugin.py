"""The base of every plugin class: name, interface version, Config, capabilities."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel

from footfall.config.fields import SCHEMA

INTERFACE_VERSION = 2
"""Version of the role interfaces that this core offers."""


class Capability(Enum):
    """What a plugin can honour; a scene's needs are compared with it before the first step."""

    FRICTION = "friction"
    RESTITUTION = "restitution"
    TILTED_TERRAIN = "tilted terrain"
    MOVING_GROUND = "moving ground"
    CURVED_TERRAIN = "curved terrain"
    SEVERAL_BODIES = "several bodies"
    CLOSED_CHAINS = "equality rows"
    """Takes the rows of a closed loop in its problem. In a simulation every law has closed loops:
    they are eliminated before it is asked."""
    CONTACT_STATE = "contact state"
    IMPLICIT_GAINS = "implicit gains"
    FLOATING_BASE = "floating base"
    FIXED_BASE = "fixed base"
    PLANAR_BASE = "planar base"
    URDF = "URDF"
    MJCF = "MJCF"
    WARM_START = "warm start"


class PluginConfig(BaseModel):
    """Base of every plugin's Config: frozen, strict, no unknown keys, no NaN or infinity."""

    model_config = SCHEMA


@dataclass(frozen=True, slots=True)
class Tunable:
    """Marks a field of a Config as one that can be changed while a simulation runs.

    ``stiffness: Annotated[float, Tunable(0.0, 5000.0)] = 1000.0``. A plugin that marks a field
    implements ``Plugin.retune``. Numbers can be tuned, and those of a table, e.g. by joint or
    pattern, one by one; while a field holds something else, it is not offered.

    Attributes:
        low: where a slider begins, in the field's unit; what is allowed is the field's own matter.
        high: where it ends.
        logarithmic: whether equal ways on the slider are equal factors.
        label: a few words instead of the field's name.
        otherwise: name of a property of the Config that gives the value while the field is None; of
            a table, of the plugin, that gives all numbers by key, those that are not given as well.
        acts: name of a property of the Config that says whether the field has an effect beside the
            others; while it has none, it is not offered. By default it always has.
    """

    low: float
    high: float
    logarithmic: bool = False
    label: str = ""
    otherwise: str = ""
    acts: str = ""


class NoConfig(PluginConfig):
    """The Config of a plugin that has nothing to choose."""


@dataclass(frozen=True, slots=True)
class StatePart:
    """A part of the simulation's state that a plugin owns and the core keeps, saves and restores.

    Attributes:
        name: unique within the plugin.
        per: ``"global"`` (one row), ``"dof"`` (one row a velocity dof) or ``"contact"`` (one row a
            contact key); of actuators ``"joint"`` (one row a joint of the group); of controllers
            ``"joint"`` and ``"dof"`` are those of the body.
        width: number of float64 columns.
        kind: ``"continuous"`` if it is integrated with the robot, ``"discrete"`` otherwise.
            A contact law's continuous parts per contact are recorded, as ``contact_NAME``.
        units: SI units, for the recording.
    """

    name: str
    per: Literal["global", "dof", "contact", "joint"]
    width: int = 1
    kind: Literal["continuous", "discrete"] = "discrete"
    units: str = "1"


class Plugin(ABC):
    """Base of every role: what is declared on the class, before any object exists.

    A plugin object holds no state that must survive a restore: that is declared in
    ``state_parts`` and lives in the simulator's ``State``.
    """

    name: ClassVar[str]
    """Name by which a scene file chooses the plugin."""
    interface_version: ClassVar[int] = INTERFACE_VERSION
    """Version of the role interface that the plugin was written for."""
    Config: ClassVar[type[PluginConfig]] = NoConfig
    """The schema of the plugin's table in the scene file."""
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    """What the plugin can honour."""
    array_keys: ClassVar[frozenset[str]] = frozenset()
    """Settings that act only on problems given as arrays, e.g. on equality rows, which the core
    eliminates from a scene's problems: a scene that changes one is refused."""
    state_parts: tuple[StatePart, ...] = ()
    """What of the simulation's state the plugin owns; set by the constructor where it depends on
    the settings."""

    def retune(self, config: PluginConfig) -> None:
        """Go on with other settings: those that are marked ``Tunable`` may have changed.

        Called between two steps. What the simulation's state holds stays. A plugin whose object
        was made with these settings from the start must go on from such a state with the same bits.

        Args:
            config: of the plugin's own ``Config``, validated.

        Raises:
            NotImplementedError: if the class marks fields and does not say how to take them.
        """
        raise NotImplementedError(f"{type(self).__name__} marks fields as tunable without retune")


def bound_call(plugin: Plugin, plain: str, *args: Any, bound: str = "bound") -> Callable[..., Any]:
    """Return ``plugin.bound(*args)``, unless a subclass has only another ``plain`` method.

    ``bound`` of the class above it would not call that one: the role's own ``bound`` does. It may
    have another name.
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

"""Checks of the declarations that every plugin class makes."""

from __future__ import annotations

from typing import Any

from footfall.interfaces.interaction import Interaction
from footfall.interfaces.plugin import Capability, Plugin, PluginConfig, StatePart
from footfall.registry.catalog import tunable_fields
from footfall.scene.schema import Pace
from footfall.testing.check import Finding, Subject


def declarations(subject: Subject) -> Finding:
    """Check that the declarations of the class are well formed."""
    return declared(plugin_mistakes(subject.cls))


def declared(mistakes: list[str]) -> Finding:
    """Return the finding for a list of mistakes in a class's declarations."""
    return Finding(not mistakes, "; ".join(mistakes) or "class attributes")


def residual_mistakes(residual: float | None) -> list[str]:
    """Return the mistakes in the residual claimed by a law or an impact model."""
    if residual is None or 0.0 < residual < 1e-2:
        return []
    return ["claims.residual must be None or between 0 and 0.01 m/s"]


def plugin_mistakes(cls: type[Any], made: Plugin | None = None) -> list[str]:
    """Return the mistakes in the declarations shared by all roles, empty if there are none.

    Args:
        cls: the plugin's class.
        made: an object of it, whose state parts may depend on its settings.
    """
    mistakes = []
    if not all(isinstance(capability, Capability) for capability in cls.capabilities):
        mistakes.append("capabilities must be a set of Capability")
    parts = (cls if made is None else made).state_parts
    if not all(isinstance(part, StatePart) for part in parts):
        mistakes.append("state_parts must be StatePart objects")
    names = [part.name for part in parts]
    if len(set(names)) < len(names):
        mistakes.append(f"names of state parts are not unique: {', '.join(names)}")
    if not (cls.__doc__ or "").strip():
        mistakes.append("the class has no docstring")
    return mistakes + config_mistakes(cls.Config) + tunable_mistakes(cls)


def config_mistakes(config: type[PluginConfig]) -> list[str]:
    """Return the mistakes in a Config: fields without a description."""
    return [
        f"Config.{name} has no docstring"
        for name, field in config.model_fields.items()
        if not field.description
    ]


def pace_mistakes(cls: type[Any]) -> list[str]:
    """Return the mistakes in a controller's Config: keys reserved for every controller."""
    taken = [key for key in Pace.model_fields if key in cls.Config.model_fields]
    return [f"Config.{key}: this key is reserved for the rate of every controller" for key in taken]


def _is_retuned(cls: type[Any]) -> bool:
    """Return whether a class takes new settings; for an interaction, those of each hand."""
    if issubclass(cls, Interaction):
        return cls.retune_hand is not Interaction.retune_hand
    return cls.retune is not Plugin.retune


def tunable_mistakes(cls: type[Any]) -> list[str]:
    """Return the mistakes in the fields marked as tunable."""
    mistakes = []
    for field in tunable_fields(cls.Config):
        if not _is_retuned(cls):
            mistakes.append(f"Config.{field.name} is tunable, and the class has no retune")
        if not field.mark.low < field.mark.high:
            mistakes.append(f"Config.{field.name}: {field.mark.low} to {field.mark.high}")
        if field.mark.logarithmic and not field.mark.low > 0.0:
            mistakes.append(f"Config.{field.name}: a logarithmic range begins above 0")
    return mistakes

"""The catalog of one role: its plugins by name, their capabilities, their tunable fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import isabstract
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

from footfall.registry.loaders import ADAPT, Loaders

if TYPE_CHECKING:
    from footfall.interfaces.plugin import Plugin, PluginConfig, Tunable

P = TypeVar("P", bound="Plugin")


APART = "several bodies that do not touch each other"
"""Text for "several bodies" with laws stated in accelerations: contacts between bodies would need
the curvature of both surfaces (see ``footfall_stepper.assembly.collision``)."""


class Catalog(Loaders[type[P]]):
    """The plugin classes of one role, by their names in scenes."""

    noun = " plugin"

    def __init__(self, role: str, base: str) -> None:
        super().__init__(role)
        self._base = base

    @property
    def base(self) -> type[P]:
        """The role's class, imported at first use."""
        found: type[P] = resolve_name(self._base)
        return found

    def fault(self, loaded: Any, name: str) -> str:
        """Return why a class cannot play the role, before it is instantiated."""
        from footfall.interfaces.plugin import INTERFACE_VERSION, PluginConfig

        if not (isinstance(loaded, type) and issubclass(loaded, self.base)):
            return f"is not a subclass of {self.base.__name__}: its loader gave {loaded!r}"
        if loaded.interface_version != INTERFACE_VERSION:
            return (
                f"was written for interface version {loaded.interface_version}, this is version "
                f"{INTERFACE_VERSION}: {ADAPT}"
            )
        if isabstract(loaded):
            return f"does not implement {', '.join(sorted(loaded.__abstractmethods__))}"
        if getattr(loaded, "name", None) != name:
            return f"has another name in its class: {getattr(loaded, 'name', None)!r}"
        if not (isinstance(loaded.Config, type) and issubclass(loaded.Config, PluginConfig)):
            return "has a Config that is not a PluginConfig"
        return ""

    def abilities(self, name: str) -> list[str]:
        """Return a plugin's capabilities as text, in alphabetical order."""
        from footfall.interfaces.contact import ContactModel, Need
        from footfall.interfaces.plugin import Capability

        cls = self[name].load()
        accelerations = issubclass(cls, ContactModel) and Need.JDOT_V in cls.needs
        return sorted(
            APART if what is Capability.SEVERAL_BODIES and accelerations else what.value
            for what in cls.capabilities
        )


_UNIT = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class TunableField:
    """A field that can be changed while the simulation runs.

    Attributes:
        name: name of the field.
        mark: its range, as the Config declares it.
        unit: unit in the field's docstring; ``-`` for ratios.
    """

    name: str
    mark: Tunable
    unit: str

    def values(self, config: Any, plugin: Any) -> dict[tuple[str, ...], float]:
        """Return the field's numbers by their keys below it; ``()`` is the key of a single number.

        A table gives its entries, or the value of the plugin's property ``mark.otherwise``. None
        gives the value of the Config's property of that name. The result is empty while the field
        has no effect.
        """
        if self.mark.acts and not getattr(config, self.mark.acts):
            return {}
        found = getattr(config, self.name)
        if self.mark.otherwise and (found is None or isinstance(found, dict)):
            found = getattr(config if found is None else plugin, self.mark.otherwise)
        entries = found.items() if isinstance(found, dict) else [(None, found)]
        numbers = [one for one in entries if type(one[1]) in {int, float}]
        return {() if key is None else (key,): float(number) for key, number in numbers}


def tunable_fields(config: type[PluginConfig]) -> Iterator[TunableField]:
    """Yield the fields that are annotated with ``Tunable``, in the Config's order."""
    from footfall.interfaces.plugin import Tunable

    for name, field in config.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, Tunable):
                unit = _UNIT.search(field.description or "")
                yield TunableField(name, mark, unit[1] if unit else "-")

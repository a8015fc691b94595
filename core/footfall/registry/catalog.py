"""A loader in a catalog, and where it comes from.

The loaders of one role, by name.

What a plugin can do, in words for people.

Which fields of a Config are marked as tunable.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import isabstract
from typing import Any, Generic, TypeVar

from footfall.errors import PluginError, nearest, reason
from footfall.interfaces.contact import ContactModel, Need
from footfall.interfaces.plugin import INTERFACE_VERSION, Capability, Plugin, PluginConfig, Tunable

P = TypeVar("P", bound=Plugin)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a plugin comes from.

    Attributes:
        entry_point: name of its entry point.
        module: the module that it names.
        distribution: the installed distribution.
        version: of that distribution.
    """

    entry_point: str
    module: str
    distribution: str
    version: str


@dataclass(frozen=True, slots=True)
class Entry(Generic[P]):
    """A loader in a catalog.

    Attributes:
        role: name of the catalog.
        base: class of the role.
        name: name that a scene chooses it by.
        loader: imports and returns the plugin class.
        summary: one line for listings.
        requires: import names of packages that must be there.
        extra: the extra of the distribution that brings them, if any.
        origin: where it comes from (set by the registry), or None if it was added in Python.
    """

    role: str
    base: type[P]
    name: str
    loader: Callable[[], type[P]]
    summary: str
    requires: tuple[str, ...] = ()
    extra: str | None = None
    origin: Origin | None = None

    @property
    def title(self) -> str:
        """Role and name, as errors show them, e.g. ``contact "coulomb"``."""
        return f'{self.role} "{self.name}"'

    @property
    def distribution(self) -> str:
        """The distribution that it comes from, for errors."""
        return self.origin.distribution if self.origin else "this session"

    @property
    def missing(self) -> tuple[str, ...]:
        """Import names among ``requires`` that are not installed."""
        return tuple(name for name in self.requires if not _is_installed(name))

    @property
    def install_hint(self) -> str:
        """The pip line that brings what is missing."""
        if self.extra:
            distribution = self.origin.distribution if self.origin else "footfall"
            return f'pip install "{distribution}[{self.extra}]"'
        return f'pip install "{" ".join(self.missing)}"'

    def load(self) -> type[P]:
        """Import the plugin class.

        Raises:
            PluginError: if a dependency is missing, importing fails, or the class is not one of the
                role, complete and written for this interface version.
        """
        if self.missing:
            raise PluginError(f'{self.title} needs "{self.missing[0]}": {self.install_hint}')
        try:
            cls = self.loader()
        except (Exception, SystemExit) as error:
            raise PluginError(f"{self.title} cannot be loaded: {reason(error)}") from error
        self._check(cls)
        return cls

    def _check(self, cls: object) -> None:
        """Refuse what cannot play the role, before anything is made of it."""
        if not (isinstance(cls, type) and issubclass(cls, self.base)):
            raise PluginError(
                f"{self.title} is not a subclass of {self.base.__name__}: its loader gave {cls!r}"
            )
        if cls.interface_version != INTERFACE_VERSION:
            raise PluginError(
                f"{self.title} was written for interface version {cls.interface_version}, "
                f"this is version {INTERFACE_VERSION}"
            )
        if isabstract(cls):
            lacking = ", ".join(sorted(cls.__abstractmethods__))
            raise PluginError(f"{self.title} does not implement {lacking}")
        if getattr(cls, "name", None) != self.name:
            raise PluginError(
                f"{self.title} has another name in its class: {getattr(cls, 'name', None)!r}"
            )
        if not (isinstance(cls.Config, type) and issubclass(cls.Config, PluginConfig)):
            raise PluginError(f"{self.title} has a Config that is not a PluginConfig")


def _is_installed(name: str) -> bool:
    if name in sys.modules:  # find_spec raises for modules that were put there by hand
        return sys.modules[name] is not None
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # its parent is missing, or is no package
        return False


class Catalog(Generic[P]):
    """The loaders of one role, by name.

    Attributes:
        role: name of the role.
        base: class of the role.
        clashes: for each name that several distributions offer, the error that says so.
    """

    def __init__(self, role: str, base: type[P]) -> None:
        self.role = role
        self.base = base
        self.clashes: dict[str, str] = {}
        self._entries: dict[str, Entry[P]] = {}

    def add(
        self,
        name: str,
        loader: Callable[[], type[P]],
        *,
        summary: str,
        requires: tuple[str, ...] = (),
        extra: str | None = None,
    ) -> None:
        """Add a loader.

        Args:
            name: name that a scene chooses the plugin by.
            loader: imports and returns the plugin class; called only when the plugin is chosen.
            summary: one line for listings.
            requires: import names of packages that must be there.
            extra: the extra of the plugin's distribution that brings them, if any.

        Raises:
            PluginError: if the name is taken.
        """
        entry = Entry(self.role, self.base, name, loader, summary, tuple(requires), extra)
        if name in self._entries:
            raise PluginError(f"{entry.title} is offered twice")
        self._entries[name] = entry

    def take(self, entry: Entry[P]) -> None:
        """Take over another catalog's entry.

        If the name is taken, it is ambiguous from then on: choosing it is an error.

        Raises:
            PluginError: if the name is taken; names both distributions.
        """
        other = self._entries.setdefault(entry.name, entry)
        if other is not entry:
            message = f"{entry.title} is offered by {other.distribution} and {entry.distribution}"
            self.clashes[entry.name] = message
            raise PluginError(message)

    def __getitem__(self, name: str) -> Entry[P]:
        """Return the entry of a name.

        Raises:
            PluginError: if there is none, with the nearest name, or more than one.
        """
        if name in self.clashes:
            raise PluginError(f"{self.clashes[name]}: uninstall one of them")
        if name not in self._entries:
            known = ", ".join(self.names()) or "none"
            raise PluginError(
                f'no {self.role} plugin "{name}"{nearest(name, self._entries)} (installed: {known})'
            )
        return self._entries[name]

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[P]]:
        return iter(sorted(self._entries.values(), key=lambda entry: entry.name))

    def loadable(self) -> Iterator[tuple[str, type[P]]]:
        """Load every plugin and yield those that can be chosen, by name."""
        for entry in self:
            if entry.name not in self.clashes:
                try:
                    yield entry.name, entry.load()
                except PluginError:
                    continue

    def names(self) -> list[str]:
        """Return the names, sorted."""
        return sorted(self._entries)


APART = "several bodies that do not touch each other"
"""What "several bodies" is for laws that are stated with accelerations: contacts between bodies
would need the curvature of both surfaces (see ``footfall.assembly.collision``)."""


def abilities(cls: type[Plugin]) -> list[str]:
    """Return the capabilities that a plugin declares, as they hold, in alphabetical order."""
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
        name: of the field.
        mark: its range, as the Config declares it.
        unit: from the field's docstring; ``-`` for ratios.
    """

    name: str
    mark: Tunable
    unit: str

    def value(self, config: Any) -> float | None:
        """Return the field's value if it is a number, else that of the mark's property, or None."""
        found = getattr(config, self.name)
        if found is None and self.mark.otherwise:
            found = getattr(config, self.mark.otherwise)
        if isinstance(found, bool) or not isinstance(found, int | float):
            return None
        return float(found)


def tunable_fields(config: type[PluginConfig]) -> Iterator[TunableField]:
    """Yield the fields that are annotated with ``Tunable``, in the Config's order."""
    for name, field in config.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, Tunable):
                unit = _UNIT.search(field.description or "")
                yield TunableField(name, mark, unit[1] if unit else "-")

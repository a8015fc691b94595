"""Loaders by name: offers of installed packages, imported only when asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, Generic, TypeVar

from footfall.errors import PluginError, nearest, reason

T = TypeVar("T")


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
class Entry(Generic[T]):
    """A loader, and where it comes from.

    Attributes:
        role: name of the catalog.
        name: what it is chosen by.
        loader: imports and returns what is offered, or its place, ``module:name``.
        summary: one line for listings.
        requires: import names of packages that must be there.
        extra: the extra of the distribution that brings them, if any.
        origin: where it comes from (set by the registry), or None if it was added in Python.
        fault: given what was loaded and the name, says what is wrong with it, or nothing.
    """

    role: str
    name: str
    loader: Callable[[], T] | str
    summary: str
    requires: tuple[str, ...] = ()
    extra: str | None = None
    origin: Origin | None = None
    fault: Callable[[Any, str], str] = lambda loaded, name: ""

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

    def load(self) -> T:
        """Import what is offered.

        Raises:
            PluginError: if a dependency is missing, importing fails, or it is not what the catalog
                holds.
        """
        if self.missing:
            raise PluginError(f'{self.title} needs "{self.missing[0]}": {self.install_hint}')
        try:
            loaded = _at(self.loader) if isinstance(self.loader, str) else self.loader()
        except (Exception, SystemExit) as error:
            raise PluginError(f"{self.title} cannot be loaded: {reason(error)}") from error
        fault = self.fault(loaded, self.name)
        if fault:
            raise PluginError(f"{self.title} {fault}")
        return loaded


def _at(place: str) -> Any:
    """Import ``module:name`` and return the object; ``name`` may be dotted."""
    module, _, name = place.partition(":")
    return attrgetter(name)(import_module(module))


def _is_installed(name: str) -> bool:
    if name in sys.modules:  # find_spec raises for modules that were put there by hand
        return sys.modules[name] is not None
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # its parent is missing, or is no package
        return False


class Loaders(Generic[T]):
    """What is offered under one heading, by name.

    Attributes:
        role: the heading, e.g. ``command``.
        clashes: for each name that several distributions offer, the error that says so.
    """

    noun = ""
    """What an entry is called after its role, in errors."""

    def __init__(self, role: str, reserved: tuple[str, ...] = ()) -> None:
        self.role = role
        self.clashes: dict[str, str] = {}
        self._reserved = reserved
        self._entries: dict[str, Entry[T]] = {}

    def fault(self, loaded: Any, name: str) -> str:
        """Say what is wrong with what a loader gave, e.g. ``is not callable``; nothing if it fits.

        Args:
            loaded: what it gave.
            name: that it was offered by.
        """
        return "" if callable(loaded) else f"is no function: its loader gave {loaded!r}"

    def abilities(self, name: str) -> list[str]:
        """Load what is offered; return what it declares that it can do, nothing but of plugins.

        Raises:
            PluginError: if it does not exist or cannot be loaded.
        """
        self[name].load()
        return []

    def add(
        self,
        name: str,
        loader: Callable[[], T] | str,
        *,
        summary: str,
        requires: tuple[str, ...] = (),
        extra: str | None = None,
    ) -> None:
        """Add a loader.

        Args:
            name: what it is chosen by, e.g. a plugin in a scene.
            loader: where the object is, ``"module:name"``, e.g. ``"my_law.contact:MyLaw"``; or a
                function that imports and returns it. Nothing is imported before it is asked for.
            summary: one line for listings.
            requires: import names of packages that must be there.
            extra: the extra of the plugin's distribution that brings them, if any.

        Raises:
            PluginError: if the name is taken.
        """
        entry = Entry(self.role, name, loader, summary, tuple(requires), extra, fault=self.fault)
        if name in self._reserved:
            raise PluginError(f"{entry.title} is Footfall's own: choose another name")
        if name in self._entries:
            raise PluginError(f"{entry.title} is offered twice")
        self._entries[name] = entry

    def take(self, entry: Entry[T]) -> None:
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

    def __getitem__(self, name: str) -> Entry[T]:
        """Return the entry of a name.

        Raises:
            PluginError: if there is none, with the nearest name, or more than one.
        """
        if name in self.clashes:
            raise PluginError(f"{self.clashes[name]}: uninstall one of them")
        if name not in self._entries:
            known = ", ".join(self.names()) or "none"
            raise PluginError(
                f'no {self.role}{self.noun} "{name}"{nearest(name, self._entries)} '
                f"(installed: {known})"
            )
        return self._entries[name]

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(sorted(self._entries.values(), key=lambda entry: entry.name))

    def loadable(self) -> Iterator[tuple[str, T]]:
        """Load everything and yield what can be chosen, by name."""
        for entry in self:
            if entry.name not in self.clashes:
                try:
                    yield entry.name, entry.load()
                except PluginError:
                    continue

    def names(self) -> list[str]:
        """Return the names, sorted."""
        return sorted(self._entries)

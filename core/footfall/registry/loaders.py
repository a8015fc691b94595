"""Catalogs of loaders by name; the objects of installed packages are imported at first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Any, Generic, TypeVar

from footfall.errors import PluginError, error_line, nearest

T = TypeVar("T")


ADAPT = "install a newer version of the plugin, or adapt it (footfall's CHANGELOG says how)"
"""Remedy for a plugin that was written for another version of the contract."""


def load_fault(error: BaseException) -> str:
    """Return in one line why a plugin does not load, and the remedy if a name is not there."""
    line, module = error_line(error), error.name if isinstance(error, ImportError) else None
    package = (module or "").partition(".")[0]
    if package == "footfall":
        return f"{line}: it was written for another version of footfall.api: {ADAPT}"
    if module == package and package.startswith("footfall_"):
        return f"{line}: the package {package} is missing: install it, or footfall, again"
    return line


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a plugin.

    Attributes:
        entry_point: name of its entry point.
        module: the module that the entry point names.
        distribution: the installed distribution.
        version: version of that distribution.
    """

    entry_point: str
    module: str
    distribution: str
    version: str


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """A loader and its origin.

    Attributes:
        role: name of the catalog.
        name: name of the entry, e.g. of a plugin in a scene.
        loader: place of the object, ``module:name``, or a function that imports and returns it.
        summary: one line for listings.
        requires: import names of packages that must be installed.
        extra: the extra of the distribution that installs them, if any.
        origin: its origin (set by the registry), or None if it was added in Python.
        fault: function of the loaded object and the name that returns the fault, or empty text.
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
        """The distribution that offers it, for errors."""
        return self.origin.distribution if self.origin else "this session"

    @property
    def missing(self) -> tuple[str, ...]:
        """Import names among ``requires`` that are not installed."""
        return tuple(name for name in self.requires if not _is_installed(name))

    @property
    def install_hint(self) -> str:
        """The pip command that installs the missing packages."""
        if self.extra:
            return PluginError.pip(self.extra, self.distribution if self.origin else "footfall")
        return f'pip install "{" ".join(self.missing)}"'

    def load(self) -> T:
        """Import and return the object.

        Raises:
            PluginError: if a dependency is missing, the import fails, or the object does not suit
                the catalog.
        """
        if self.missing:
            raise PluginError(f'{self.title} needs "{self.missing[0]}": {self.install_hint}')
        try:
            loaded = resolve_name(self.loader) if isinstance(self.loader, str) else self.loader()
        except (Exception, SystemExit) as error:
            raise PluginError(f"{self.title} cannot be loaded: {load_fault(error)}") from error
        fault = self.fault(loaded, self.name)
        if fault:
            raise PluginError(f"{self.title} {fault}")
        return loaded


def _is_installed(name: str) -> bool:
    if name in sys.modules:  # find_spec raises for modules inserted by hand
        return sys.modules[name] is not None
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # its parent is missing or not a package
        return False


class Loaders(Generic[T]):
    """A catalog of loaders by name.

    Attributes:
        role: name of the catalog, e.g. ``command``.
        clashes: error message for each name that several distributions offer.
    """

    noun = ""
    """Noun that follows the role in errors."""

    def __init__(self, role: str, reserved: tuple[str, ...] = ()) -> None:
        self.role = role
        self.clashes: dict[str, str] = {}
        self._reserved = reserved
        self._entries: dict[str, Entry[T]] = {}

    def fault(self, loaded: Any, name: str) -> str:
        """Return the fault of a loaded object, e.g. ``is not callable``, or empty text.

        Args:
            loaded: the loaded object.
            name: its name in the catalog.
        """
        return "" if callable(loaded) else f"is not a function: its loader gave {loaded!r}"

    def abilities(self, name: str) -> list[str]:
        """Load an entry and return its capabilities; only plugin classes have any.

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
            name: name of the entry, e.g. of a plugin in a scene.
            loader: place of the object, ``"module:name"``, e.g. ``"my_law.contact:MyLaw"``; or a
                function that imports and returns it. It is imported at first use.
            summary: one line for listings.
            requires: import names of packages that must be installed.
            extra: the extra of the plugin's distribution that installs them, if any.

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

        If the name is taken, it becomes ambiguous: choosing it is an error.

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
            PluginError: if there is none (offers the nearest name), or more than one.
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
        """Load all entries; yield name and object of those that load and are unambiguous."""
        for entry in self:
            if entry.name not in self.clashes:
                try:
                    yield entry.name, entry.load()
                except PluginError:
                    continue

    def names(self) -> list[str]:
        """Return the names, sorted."""
        return sorted(self._entries)

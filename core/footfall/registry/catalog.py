"""The loaders of one role, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from footfall.errors import PluginError, nearest
from footfall.interfaces.plugin import Plugin
from footfall.registry.entry import Entry

P = TypeVar("P", bound=Plugin)


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

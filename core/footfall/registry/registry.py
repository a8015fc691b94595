"""Typed catalogs of loaders: what is installed, by role and name; nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Generic, TypeVar

from footfall.errors import PluginError, nearest
from footfall.plugin import INTERFACE_VERSION, Plugin
from footfall.roles.contact import ContactModel
from footfall.roles.controller import Controller
from footfall.roles.engine import Engine
from footfall.roles.impact import ImpactModel
from footfall.roles.integrator import Integrator
from footfall.roles.solver import QPSolver
from footfall.roles.terrain import Terrain
from footfall.roles.visualizer import Visualizer

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
        name: name that a scene chooses it by.
        loader: imports and returns the plugin class.
        summary: one line for listings.
        requires: import names of packages that must be there.
        extra: the extra of the distribution that brings them, if any.
        origin: where it comes from (set by the registry).
    """

    role: str
    name: str
    loader: Callable[[], type[P]]
    summary: str
    requires: tuple[str, ...] = ()
    extra: str | None = None
    origin: Origin | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Import names among ``requires`` that are not installed."""
        return tuple(name for name in self.requires if find_spec(name) is None)

    @property
    def install_hint(self) -> str:
        """The pip line that brings what is missing."""
        distribution = self.origin.distribution if self.origin else "footfall"
        what = f"{distribution}[{self.extra}]" if self.extra else " ".join(self.missing)
        return f'pip install "{what}"'

    def load(self) -> type[P]:
        """Import the plugin class.

        Raises:
            PluginError: if a dependency is missing, importing fails, or the class is not of the
                role or was written for another interface version.
        """
        what = f'{self.role} "{self.name}"'
        if self.missing:
            raise PluginError(f'{what} needs "{self.missing[0]}": {self.install_hint}')
        try:
            cls = self.loader()
        except Exception as error:
            raise PluginError(
                f"{what} cannot be loaded: {type(error).__name__}: {error}"
            ) from error
        if cls.interface_version != INTERFACE_VERSION:
            raise PluginError(
                f"{what} was written for interface version {cls.interface_version}, "
                f"this is version {INTERFACE_VERSION}"
            )
        return cls


class Catalog(Generic[P]):
    """The loaders of one role, by name."""

    def __init__(self, role: str, base: type[P]) -> None:
        self.role = role
        self.base = base
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

        Raises:
            PluginError: if the name is taken; names both distributions.
        """
        self._insert(Entry(self.role, name, loader, summary, requires, extra))

    def _insert(self, entry: Entry[P]) -> None:
        if entry.name in self._entries:
            both = [
                e.origin.distribution if e.origin else "this session"
                for e in (self._entries[entry.name], entry)
            ]
            raise PluginError(f'{self.role} "{entry.name}" is offered by {both[0]} and {both[1]}')
        self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> Entry[P]:
        """Return the entry of that name, or raise PluginError with the nearest name."""
        try:
            return self._entries[name]
        except KeyError:
            known = ", ".join(sorted(self._entries)) or "none"
            raise PluginError(
                f'no {self.role} plugin "{name}"{nearest(name, self._entries)} (installed: {known})'
            ) from None

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[P]]:
        return iter(sorted(self._entries.values(), key=lambda entry: entry.name))

    def names(self) -> list[str]:
        """Return the names, sorted."""
        return sorted(self._entries)


@dataclass(frozen=True, slots=True)
class Broken:
    """An entry point that could not be loaded, and why."""

    origin: Origin
    reason: str


@dataclass(slots=True)
class Registry:
    """All catalogs, one a role, and what was found broken."""

    engine: Catalog[Engine] = field(default_factory=lambda: Catalog("engine", Engine))
    contact: Catalog[ContactModel] = field(default_factory=lambda: Catalog("contact", ContactModel))
    impact: Catalog[ImpactModel] = field(default_factory=lambda: Catalog("impact", ImpactModel))
    solver: Catalog[QPSolver] = field(default_factory=lambda: Catalog("solver", QPSolver))
    integrator: Catalog[Integrator] = field(
        default_factory=lambda: Catalog("integrator", Integrator)
    )
    terrain: Catalog[Terrain] = field(default_factory=lambda: Catalog("terrain", Terrain))
    controller: Catalog[Controller] = field(
        default_factory=lambda: Catalog("controller", Controller)
    )
    visualizer: Catalog[Visualizer] = field(
        default_factory=lambda: Catalog("visualizer", Visualizer)
    )
    broken: list[Broken] = field(default_factory=list)

    @property
    def catalogs(self) -> tuple[Catalog[Plugin], ...]:
        """Every catalog, in the order of listings."""
        return (  # type: ignore[return-value]
            self.engine,
            self.contact,
            self.impact,
            self.solver,
            self.integrator,
            self.terrain,
            self.controller,
            self.visualizer,
        )

    def catalog(self, role: str) -> Catalog[Plugin]:
        """Return the catalog of a role by name.

        Raises:
            PluginError: if there is no such role; offers the nearest.
        """
        roles = {catalog.role: catalog for catalog in self.catalogs}
        if role not in roles:
            raise PluginError(f"no role {role!r}{nearest(role, roles)} (roles: {', '.join(roles)})")
        return roles[role]

    def merge(self, other: Registry, origin: Origin) -> None:
        """Take over all entries of another registry, marked with their origin."""
        for mine, theirs in zip(self.catalogs, other.catalogs, strict=True):
            for entry in theirs:
                mine._insert(
                    Entry(
                        entry.role,
                        entry.name,
                        entry.loader,
                        entry.summary,
                        entry.requires,
                        entry.extra,
                        origin,
                    )
                )

"""Typed catalogs of loaders: what is installed, by role and name; nothing heavy is imported."""

# A catalog only checks subclasses against its role's abstract class; it never makes one.
# mypy: disable-error-code="type-abstract"

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from footfall.errors import PluginError, nearest
from footfall.interfaces.actuator import Actuator
from footfall.interfaces.contact import ContactModel, ImpactModel
from footfall.interfaces.controller import Controller
from footfall.interfaces.engine import Engine
from footfall.interfaces.input_device import InputDevice
from footfall.interfaces.integrator import Integrator
from footfall.interfaces.sensor import Sensor
from footfall.interfaces.solver import QPSolver
from footfall.interfaces.terrain import Terrain
from footfall.interfaces.visualizer import Visualizer
from footfall.registry.catalog import Catalog, Entry, Origin

__all__ = ["Broken", "Catalog", "Entry", "Origin", "Registry"]


@dataclass(frozen=True, slots=True)
class Broken:
    """An entry point that could not be loaded, or not completely, and why."""

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
    actuator: Catalog[Actuator] = field(default_factory=lambda: Catalog("actuator", Actuator))
    sensor: Catalog[Sensor] = field(default_factory=lambda: Catalog("sensor", Sensor))
    visualizer: Catalog[Visualizer] = field(
        default_factory=lambda: Catalog("visualizer", Visualizer)
    )
    input_device: Catalog[InputDevice] = field(
        default_factory=lambda: Catalog("input_device", InputDevice)
    )
    broken: list[Broken] = field(default_factory=list)

    @property
    def catalogs(self) -> tuple[Catalog[Any], ...]:
        """Every catalog, in the order of listings."""
        return (
            self.engine,
            self.contact,
            self.impact,
            self.solver,
            self.integrator,
            self.terrain,
            self.controller,
            self.actuator,
            self.sensor,
            self.visualizer,
            self.input_device,
        )

    def catalog(self, role: str) -> Catalog[Any]:
        """Return the catalog of a role by name.

        Raises:
            PluginError: if there is no such role; offers the nearest.
        """
        roles = {catalog.role: catalog for catalog in self.catalogs}
        if role not in roles:
            raise PluginError(f"no role {role!r}{nearest(role, roles)} (roles: {', '.join(roles)})")
        return roles[role]

    def find(self, role: str, name: str) -> Entry[Any]:
        """Return the entry of a role and a name.

        Raises:
            PluginError: if there is none; offers the nearest name, and says which installed
                plugins are broken, since one of them may be the one that is missed.
        """
        try:
            return self.catalog(role)[name]
        except PluginError as error:
            if not self.broken or name in self.catalog(role):
                raise
            broken = "; ".join(f"{b.origin.distribution}: {b.reason}" for b in self.broken)
            raise PluginError(f"{error}; broken plugins: {broken}") from error

    def merge(self, other: Registry, origin: Origin) -> None:
        """Take over all entries of another registry, marked with their origin.

        Raises:
            PluginError: for the first name that is taken; the other entries are taken over.
        """
        clash: PluginError | None = None
        for mine, theirs in zip(self.catalogs, other.catalogs, strict=True):
            for entry in theirs:
                try:
                    mine.take(replace(entry, origin=origin))
                except PluginError as error:
                    clash = clash or error
        if clash:
            raise clash

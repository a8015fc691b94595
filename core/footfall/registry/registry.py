"""The registry: typed catalogs of loaders by role and name; nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import PluginError, nearest
from footfall.registry.catalog import Catalog
from footfall.registry.defaults import DEFAULTS
from footfall.registry.loaders import ADAPT, Entry, Loaders, Origin

if TYPE_CHECKING:
    from footfall.interfaces.actuator import Actuator
    from footfall.interfaces.contact import ContactModel, DelassusMethod, ImpactModel
    from footfall.interfaces.controller import Controller
    from footfall.interfaces.engine import Engine
    from footfall.interfaces.input_device import InputDevice
    from footfall.interfaces.integrator import Integrator
    from footfall.interfaces.interaction import Interaction
    from footfall.interfaces.plugin import Plugin
    from footfall.interfaces.sensor import Sensor
    from footfall.interfaces.solver import QPSolver
    from footfall.interfaces.terrain import Terrain
    from footfall.interfaces.visualizer import Visualizer

__all__ = ["Broken", "Catalog", "Entry", "Loaders", "Origin", "Registry"]


@dataclass(frozen=True, slots=True)
class Broken:
    """An entry point that could not be loaded completely, and the reason."""

    origin: Origin
    reason: str


class Registry:
    """All catalogs, and the broken entry points.

    Attributes:
        delassus: methods of the Delassus matrix, see ``footfall.api.advanced.DelassusMethod``.
        command: commands of the program, functions with typer's annotations or ``typer.Typer``.
        model_format: readers of robot model files other than URDF, by format; see
            ``footfall.api.advanced.ModelDescription``.
        mesh_format: readers of mesh files by suffix; see ``footfall.api.advanced.MeshFile``.
        compiler: translators of kernels, see ``footfall.jit.native``.
        exporter: writers of recordings in other formats, see ``footfall.api.advanced.Exporter``.
        scene_check: checks of an assembly before it is built; they reject settings that are invalid
            or have no effect, see ``footfall_stepper.assembly.assemble``.
        start_check: checks of an assembled scene before its first step, see
            ``footfall_stepper.assembly.assemble``.
        watch: functions called with the simulator at the start of a run that return an observer of
            its rows: ``see(rows)`` is called with new rows, shape (n, width), and ``found()``
            returns lists of ``footfall.Alarm`` by ``alarms``, and of lines by ``notes``.
        certificate: functions of a scene and its world that return the recorder of ``[recorder]
            certificates``: it has ``variables`` of the recording, and ``end(sim, row)`` is called
            at the end of each step, before the tick advances.
        kit: functions that return the checks of a role's plugins, by role; see
            ``footfall.testing.check``.
        function: functions for Python, reached as ``footfall.NAME`` (core's own names come first).
        broken: entry points that could not be loaded, or not completely.
    """

    def __init__(self) -> None:
        self.simulator: Catalog[Plugin] = Catalog(
            "simulator", "footfall.simulator.role:SimulatorPlugin"
        )
        self.engine: Catalog[Engine] = _role("engine:Engine")
        self.contact: Catalog[ContactModel] = _role("contact:ContactModel")
        self.impact: Catalog[ImpactModel] = _role("contact:ImpactModel", "impact")
        self.solver: Catalog[QPSolver] = _role("solver:QPSolver")
        self.integrator: Catalog[Integrator] = _role("integrator:Integrator")
        self.terrain: Catalog[Terrain] = _role("terrain:Terrain")
        self.controller: Catalog[Controller] = _role("controller:Controller")
        self.actuator: Catalog[Actuator] = _role("actuator:Actuator")
        self.sensor: Catalog[Sensor] = _role("sensor:Sensor")
        self.visualizer: Catalog[Visualizer] = _role("visualizer:Visualizer")
        self.input_device: Catalog[InputDevice] = _role("input_device:InputDevice")
        self.interaction: Catalog[Interaction] = _role("interaction:Interaction")
        self.delassus: Loaders[type[DelassusMethod]] = Loaders("delassus", ("sparse",))
        self.model_format: Loaders[Callable[[Path], Any]] = Loaders("model_format", ("urdf",))
        self.mesh_format: Loaders[Callable[[Path], Any]] = Loaders("mesh_format")
        self.command: Loaders[Callable[..., Any]] = Loaders("command")
        self.exporter: Loaders[Callable[..., Any]] = Loaders("exporter")
        self.compiler: Loaders[Callable[..., Any]] = Loaders("compiler")
        self.function: Loaders[Callable[..., Any]] = Loaders("function")
        self.scene_check: Loaders[Callable[[Any], None]] = Loaders("scene_check")
        self.start_check: Loaders[Callable[[Any, Any, bool], int | None]] = Loaders("start_check")
        self.watch: Loaders[Callable[[Any], Any]] = Loaders("watch")
        self.certificate: Loaders[Callable[[Any, Any], Any]] = Loaders("certificate")
        self.kit: Loaders[Callable[[], tuple[Any, ...]]] = Loaders("kit")
        self.broken: list[Broken] = []

    def __getattr__(self, name: str) -> Any:
        """Refuse the name of a catalog that has another name now, with what to do."""
        if name == "backend":
            why = "registry.backend is registry.simulator since interface version 2"
            raise PluginError(f"{why}: {ADAPT}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def roles(self) -> tuple[Catalog[Any], ...]:
        """The catalogs of plugin classes, in the order of listings."""
        return tuple(each for each in vars(self).values() if isinstance(each, Catalog))

    @property
    def catalogs(self) -> tuple[Loaders[Any], ...]:
        """Every catalog, in the order of listings."""
        return tuple(each for each in vars(self).values() if isinstance(each, Loaders))

    def catalog(self, role: str) -> Loaders[Any]:
        """Return the catalog of a role by name.

        Raises:
            PluginError: if there is no such role; offers the nearest.
        """
        roles = {catalog.role: catalog for catalog in self.catalogs}
        if role == "backend":
            raise PluginError('the role "backend" is called "simulator" now')
        if role not in roles:
            raise PluginError(f"no role {role!r}{nearest(role, roles)} (roles: {', '.join(roles)})")
        return roles[role]

    def find(self, role: str, name: str) -> Entry[Any]:
        """Return the entry of a role and a name.

        Raises:
            PluginError: if there is none; offers the nearest name, and lists the broken plugins,
                since one of them may offer it.
        """
        try:
            return self.catalog(role)[name]
        except PluginError as error:
            if not self.broken or name in self.catalog(role):
                raise
            broken = "; ".join(f"{b.origin.distribution}: {b.reason}" for b in self.broken)
            raise PluginError(f"{error}; broken plugins: {broken}") from error

    def default(self, role: str) -> str:
        """Return the name of a role's default plugin.

        Raises:
            PluginError: if the role has none; for an impact model see ``suiting_impact``.
        """
        if role not in DEFAULTS:
            raise PluginError(f"no {role} plugin is the default (roles: {', '.join(DEFAULTS)})")
        return DEFAULTS[role]

    def suiting_impact(self, contact: str) -> str:
        """Return the name of the default impact model of a contact law.

        Raises:
            PluginError: if the law does not exist or cannot be loaded.
        """
        law = self.contact[contact].load()
        if not law.absorbs_impacts:
            return "inelastic"
        from footfall.interfaces.plugin import Capability

        bounces = Capability.RESTITUTION in law.capabilities and "dissipative" in self.impact
        return "dissipative" if bounces else "none"

    def merge(self, other: Registry, origin: Origin | None = None) -> None:
        """Take over all entries of another registry, marked with their origin if it is given.

        Raises:
            PluginError: for the first name that is taken, after all other entries are taken over.
        """
        clash: PluginError | None = None
        for name, theirs in vars(other).items():
            for entry in theirs if isinstance(theirs, Loaders) else ():
                try:
                    vars(self)[name].take(replace(entry, origin=origin) if origin else entry)
                except PluginError as error:
                    clash = clash or error
        if clash:
            raise clash


def _role(module_and_class: str, role: str | None = None) -> Catalog[Any]:
    """Return the empty catalog of a role; its class is imported at first use."""
    name = role or module_and_class.partition(":")[0]
    return Catalog(name, f"footfall.interfaces.{module_and_class}")

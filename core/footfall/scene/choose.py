"""The choice of plugins: slots of a scene file, and validated settings of the chosen plugins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from footfall.config.toml import KeyPath, Where
from footfall.config.validate import given, validate
from footfall.errors import PluginError, SettingError, error_line
from footfall.interfaces.contact import SPARSE
from footfall.interfaces.plugin import NoConfig, Plugin, PluginConfig
from footfall.model.devices import ActuatorSpec, SensorSpec
from footfall.registry.defaults import DEFAULTS
from footfall.registry.loaders import Entry
from footfall.registry.registry import Registry
from footfall.scene.scene import CONTACT_SOLVER, SIMULATOR, Choice, Scene, Slot
from footfall.scene.units import Units

M = TypeVar("M", bound=BaseModel)


def slot_at(path: KeyPath) -> Slot | None:
    """Return the slot at a path, None if no plugin is chosen there."""
    return next((slot for slot in Scene.SLOTS if slot.matches(path)), None)


PLUGIN, SOLVER = "plugin", "solver"


def delassus_names(registry: Registry) -> list[str]:
    """Return the allowed values of ``[simulation] delassus``."""
    return [SPARSE, *registry.delassus.names()]


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooser of plugins for the tables of one file.

    Attributes:
        registry: the installed plugins.
        where: the file and its lines.
        units: units of the settings' numbers.
    """

    registry: Registry
    where: Where
    units: Units = field(default_factory=Units)

    def choose(
        self,
        slot: Slot,
        table: Mapping[str, Any],
        *,
        path: KeyPath | None = None,
        default: str | None = None,
    ) -> Choice:
        """Load the plugin that a table chooses and validate the table against its Config.

        Args:
            slot: the slot to fill.
            table: the plugin's table, without keys that belong to others.
            path: key of the table in the file, if it is not the slot's own.
            default: name of the plugin if the table gives none, instead of the slot's.

        Raises:
            SceneError: if there is no such plugin, or a key or value is not allowed.
            PluginError: if the plugin cannot be loaded; gives the reason.
        """
        path = path or slot.path
        if slot is SIMULATOR and not table and DEFAULTS[slot.role] not in self.registry.simulator:
            return Choice(slot.role, DEFAULTS[slot.role], NoConfig())  # assembling it is an error
        entry, cls = self._plugin(slot.role, table.get(PLUGIN, default or slot.default), path)
        config = {key: value for key, value in table.items() if key != PLUGIN}
        uses_solver = bool(getattr(cls, "uses_solver", False))
        solver = self._solver(config.pop(SOLVER, {}), path) if uses_solver else None
        if SOLVER in config and SOLVER not in cls.Config.model_fields:
            raise self.where.error(f"has no effect: {entry.title} uses no solver", (*path, SOLVER))
        beside = slot.beside.model_fields if slot.beside else ()
        others = [PLUGIN, *([SOLVER] if uses_solver else []), *beside]
        valid = self.validated(cls.Config, config, path, others)
        self._refuse_array_keys(cls, valid, path)
        valid, live = self.units.defaults_of(valid), bool(getattr(cls, "live", False))
        return Choice(slot.role, entry.name, valid, solver, entry.origin, entry.requires, live)

    def _refuse_array_keys(self, cls: type[Plugin], config: PluginConfig, path: KeyPath) -> None:
        """Reject settings that have no effect in a scene."""
        for key in sorted(cls.array_keys):
            if getattr(config, key) != cls.Config.model_fields[key].get_default():
                message = "has no effect in a scene, whose loops are eliminated before the law"
                raise self.where.error(
                    f"{message}: it is for problems given as arrays", (*path, key)
                )

    def _solver(self, table: Any, path: KeyPath) -> Choice:
        """Choose the QP solver of a law or an impact model."""
        if not isinstance(table, dict):
            raise self.where.error(f"must be a table, got {given(table)}", (*path, SOLVER))
        return self.choose(CONTACT_SOLVER, table, path=(*path, SOLVER))

    def _plugin(self, role: str, name: Any, path: KeyPath) -> tuple[Entry[Any], type[Plugin]]:
        """Find and load a plugin; an error names the file and key that ask for it."""
        if not isinstance(name, str):
            message = f"must be the name of a plugin, got {given(name)}"
            raise self.where.error(message, (*path, PLUGIN))
        try:
            entry = self.registry.find(role, name)
        except PluginError as error:
            raise self.where.error(str(error), (*path, PLUGIN)) from error
        try:
            return entry, entry.load()
        except PluginError as error:
            asked = self.where.error(str(error), (*path, PLUGIN))
            raise PluginError(str(asked)) from error

    def validated(
        self, model: type[M], table: Mapping[str, Any], path: KeyPath, others: Iterable[str] = ()
    ) -> M:
        """Validate a table that may hold keys of others; an error names the file and line."""
        file, lines = self.where.file, self.where.lines
        return validate(model, table, file=file, lines=lines, prefix=path, also_allowed=others)

    def part(self, role: str, spec: ActuatorSpec | SensorSpec, path: KeyPath) -> Choice:
        """Load the plugin that a device's table names and validate its own keys.

        Raises:
            SceneError: if there is no such plugin, or a key or value is not allowed.
            PluginError: if the plugin cannot be loaded; gives the reason.
        """
        entry, cls = self._plugin(role, spec.plugin, path)
        valid = self.validated(cls.Config, spec.settings, path, type(spec).model_fields)
        valid = self.units.defaults_of(valid)
        return Choice(role, entry.name, valid, None, entry.origin, entry.requires)


def make(choice: Choice, registry: Registry) -> Any:
    """Construct a chosen plugin with its settings, and with its QP solver if it takes one.

    Raises:
        PluginError: if the constructor fails.
    """
    arguments: list[Any] = [choice.config]
    if choice.solver is not None:
        arguments.append(make(choice.solver, registry))
    return constructed(choice, registry, *arguments)


def constructed(choice: Choice, registry: Registry, *arguments: Any) -> Any:
    """Construct a chosen plugin from its arguments.

    Raises:
        PluginError: if the constructor fails.
    """
    cls: Any = registry.find(choice.role, choice.plugin).load()
    try:
        plugin: Plugin = cls(*arguments)
    except PluginError:
        raise
    except Exception as error:
        title = f'{choice.role} "{choice.plugin}"'
        raise PluginError(f"{title} cannot be made: {error_line(error)}") from error
    return plugin


def make_at(scene: Scene, choice: Choice, registry: Registry, *path: str) -> Any:
    """Construct a chosen plugin; an error in a setting names its key in the scene."""
    try:
        return make(choice, registry)
    except SettingError as error:
        raise scene.error(error.reason, *path, *error.path) from error

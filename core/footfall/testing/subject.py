"""The plugin under test: its class, its settings, and how fresh objects of it are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from footfall.errors import PluginError
from footfall.interfaces.plugin import Capability, Plugin, PluginConfig
from footfall.registry.discover import discover
from footfall.registry.entry import Entry
from footfall.registry.registry import Registry
from footfall.testing.check import NotApplicable

SOLVER = "proxqp"
"""The QP solver that laws with one are made with, unless another is named."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A plugin under test.

    Attributes:
        role: name of the role.
        cls: the plugin's class.
        config: its settings.
        solver: class of the QP solver that its constructor takes, None if it takes none.
        scene: where a controller is looked at that does not suit any body; None: on the checks'
            own bodies.
    """

    role: str
    cls: type[Any]
    config: PluginConfig
    solver: type[Any] | None
    scene: str | None = None

    def make(self) -> Any:
        """Return a fresh object of the plugin."""
        if self.solver is None:
            return self.cls(self.config)
        return self.cls(self.config, self.solver(self.solver.Config()))

    @property
    def anisotropy(self) -> float:
        """What a law declares with these settings; see ``ContactModel.anisotropy``."""
        return float(self.make().anisotropy)

    def can(self, capability: Capability) -> bool:
        """Whether the plugin declares a capability."""
        return capability in self.cls.capabilities

    def require(self, capability: Capability) -> None:
        """Go on only with plugins that declare a capability.

        Raises:
            NotApplicable: if it does not.
        """
        if not self.can(capability):
            raise NotApplicable(f'does not declare "{capability.value}"')


def subject_of(
    role: str,
    plugin: str | type[Plugin],
    registry: Registry | None = None,
    config: PluginConfig | Mapping[str, Any] | None = None,
    solver: str = SOLVER,
    scene: str | None = None,
) -> Subject:
    """Prepare a plugin for its checks.

    Args:
        role: name of the role.
        plugin: a class, or the name of an installed plugin.
        registry: where names are looked up; by default what is installed.
        config: the plugin's settings; by default its Config's own.
        solver: name of the QP solver for plugins that are made with one.
        scene: of a controller: a scene that it drives a body of; its settings are the default.

    Raises:
        PluginError: if there is no such role or plugin, the class is not one of the role, the
            settings are not valid, the scene has no such controller, or a solver is named for what
            is made without.
    """
    if isinstance(plugin, str):
        registry = registry if registry is not None else discover()
        entry = registry.find(role, plugin)
    else:
        name = getattr(plugin, "name", plugin.__name__)
        entry = Entry(role, Registry().catalog(role).base, name, lambda: plugin, "under test")
    cls = entry.load()
    made_with = None
    if getattr(cls, "uses_solver", False):
        registry = registry if registry is not None else discover()
        made_with = registry.find("solver", solver).load()
    elif solver != SOLVER:
        raise PluginError(f'solver {solver!r}: {role} "{cls.name}" is made without a QP solver')
    if scene is not None and config is None:
        config = _of_scene(scene, role, cls)
    return Subject(role, cls, _settings(entry.title, cls, config), made_with, scene)


def _of_scene(scene: str, role: str, cls: type[Plugin]) -> PluginConfig:
    """Return the settings of a controller in a scene."""
    from footfall.scene.load import load_scene

    if role != "controller":
        raise PluginError(f"scene: only controllers are looked at on one, not {role} {cls.name!r}")
    for body in load_scene(scene).bodies.values():
        if body.controller.plugin == cls.name:
            return body.controller.config
    raise PluginError(f"scene: nothing in {scene} is driven by the controller {cls.name!r}")


def _settings(
    title: str, cls: type[Plugin], config: PluginConfig | Mapping[str, Any] | None
) -> PluginConfig:
    if isinstance(config, PluginConfig):
        return config
    try:
        return cls.Config.model_validate(dict(config or {}))
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])
        key = f"{at}: " if at else ""
        said = first["msg"].removeprefix("Value error, ")
        hint = " (or a scene: --scene)" if title.startswith("controller") else ""
        raise PluginError(f"{title}: the checks need valid settings: {key}{said}{hint}") from None

"""All solver variants: plugins, and the backends that they offer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from footfall.api.plugin import Capability, FootfallError, PluginError, Registry, nearest
from footfall.api.solver import QPSolver


@dataclass(frozen=True, slots=True)
class Variant:
    """A solver with its default settings, except for the backend.

    Attributes:
        plugin: name of the plugin.
        key: name of the setting that names the backend; empty if there is none.
        backend: value of that setting.
        cls: class of the plugin; None if it cannot be loaded.
        error: reason why it cannot.
    """

    plugin: str
    key: str = ""
    backend: str = ""
    cls: type[Any] | None = None
    error: str = ""

    @property
    def name(self) -> str:
        """Plugin and backend, e.g. ``qpsolvers: daqp``."""
        return f"{self.plugin}: {self.backend}" if self.backend else self.plugin

    @property
    def warm_starts(self) -> bool:
        """Whether it uses a warm start."""
        return self.cls is not None and Capability.WARM_START in self.cls.capabilities

    def make(self) -> QPSolver:
        """Make the solver."""
        assert self.cls is not None
        settings = {self.key: self.backend} if self.key else {}
        solver: QPSolver = self.cls(self.cls.Config(**settings))
        return solver


def variants(registry: Registry, names: tuple[str, ...] = ()) -> list[Variant]:
    """Return all solvers, or those of some plugins; unloadable ones with the reason.

    Raises:
        PluginError: if a solver does not exist; suggests the nearest name.
    """
    known = registry.solver.names()
    for name in names:
        if name not in known:
            listed = ", ".join(known)
            raise PluginError(f'no solver "{name}"{nearest(name, known)} (solvers: {listed})')
    return [v for name in (names or tuple(known)) for v in _of(registry, name)]


def _of(registry: Registry, name: str) -> Iterator[Variant]:
    try:
        cls = registry.solver[name].load()
    except FootfallError as error:
        yield Variant(name, error=" ".join(str(error).split()))
        return
    for key, schema in cls.Config.model_json_schema().get("properties", {}).items():
        backends = _names(schema)
        if backends:
            for backend in backends:
                yield Variant(name, key, backend, cls)
            return
    yield Variant(name, cls=cls)


def _names(schema: dict[str, Any]) -> list[str]:
    """Return the allowed names of a setting, if it is a choice of names."""
    values = schema.get("enum", [])
    return [value for value in values if isinstance(value, str)]

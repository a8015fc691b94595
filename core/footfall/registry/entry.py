"""A loader in a catalog, and where it comes from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import isabstract
from typing import Generic, TypeVar

from footfall.errors import PluginError
from footfall.interfaces.plugin import INTERFACE_VERSION, Plugin, PluginConfig

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


def reason(error: BaseException) -> str:
    """Write an exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":")


def _is_installed(name: str) -> bool:
    if name in sys.modules:  # find_spec raises for modules that were put there by hand
        return sys.modules[name] is not None
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # its parent is missing, or is no package
        return False

"""Named checks, the plugin under test, and the findings of a role's checks."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from footfall.config.validate import validate
from footfall.errors import PluginError, SceneError, error_line
from footfall.interfaces.contact import Claims
from footfall.interfaces.plugin import Capability, Plugin, PluginConfig
from footfall.registry.discover import discover
from footfall.registry.registry import Registry


class NotApplicable(Exception):  # noqa: N818 - a reason, not an error
    """A check does not apply to this plugin; names the declaration that is missing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check on a plugin.

    Attributes:
        passed: whether the plugin passes the check.
        message: the case, and the location of the worst value.
        measured: the deciding value, in the unit given in the message, or None.
        allowed: its largest allowed value, or None.
        error: the exception raised by the plugin, or None.
        cause: the likely cause of a failure in one phrase, or empty.
    """

    passed: bool
    message: str
    measured: float | None = None
    allowed: float | None = None
    error: Exception | None = field(default=None, compare=False)
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement for every plugin of a role.

    Attributes:
        role: name of the role.
        name: unique within the role.
        asserts: the requirement, in one sentence.
        run: examines a plugin; raises ``NotApplicable`` if the check does not apply to it.
        cause: called with the plugin, the check's name and the error, if any, after a failure;
            returns its likely cause or an empty text.
    """

    role: str
    name: str
    asserts: str
    run: Callable[[Subject], Finding]
    cause: Callable[[Subject, str, Exception | None], str] = lambda subject, check, error: ""

    def __str__(self) -> str:
        return self.name

    def examine(self, subject: Subject) -> Finding:
        """Run the check; an exception of the plugin is a failure.

        Raises:
            NotApplicable: if the check does not apply to this plugin.
        """
        try:
            finding = self.run(subject)
        except NotApplicable:
            raise
        except Exception as error:
            finding = Finding(False, f"raised {error_line(error)}", error=error)
        if finding.passed:
            return finding
        return replace(finding, cause=self.cause(subject, self.name, finding.error))

    def verify(
        self,
        plugin: str | type[Plugin],
        *,
        registry: Registry | None = None,
        config: PluginConfig | Mapping[str, Any] | None = None,
    ) -> None:
        """Assert that a plugin passes, for use as a parametrised test.

        Args:
            plugin: a class, or the name of an installed plugin.
            registry: registry for names; by default the installed plugins.
            config: the plugin's settings; by default those of its Config.

        Raises:
            AssertionError: if it does not pass.
            unittest.SkipTest: if the check does not apply to this plugin (pytest skips as well).
        """
        try:
            finding = self.examine(subject_of(self.role, plugin, registry, config))
        except NotApplicable as why:
            raise unittest.SkipTest(str(why)) from None
        if not finding.passed:
            raise AssertionError(f"{self.name}: {self.asserts}: {describe(finding)}")


def checks_of(
    role: str, *functions: Callable[[Subject], Finding], **more: Any
) -> tuple[Check, ...]:
    """Build checks from functions: their names, and the first lines of their docstrings."""
    return tuple(
        Check(
            role,
            function.__name__,
            (function.__doc__ or "").strip().splitlines()[0].rstrip("."),
            function,
            **more,
        )
        for function in functions
    )


def within(message: str, measured: float, allowed: float) -> Finding:
    """Compare a value with its bound; NaN never passes."""
    return Finding(bool(measured <= allowed), message, float(measured), float(allowed))


def worst(findings: Iterable[Finding]) -> Finding:
    """Return the first failure; if there is none, the finding nearest to its bound."""
    kept: Finding | None = None
    for finding in findings:
        if not finding.passed:
            return finding
        if kept is None or _nearness(finding) > _nearness(kept):
            kept = finding
    if kept is None:
        raise NotApplicable("no case to check")
    return kept


def describe(finding: Finding) -> str:
    """Write a finding in one line."""
    told = finding.message
    if finding.measured is not None and finding.allowed is not None:
        told += f": {finding.measured:.3g}, allowed {finding.allowed:.3g}"
    return f"{told}; likely cause: {finding.cause}" if finding.cause else told


def _nearness(finding: Finding) -> float:
    if finding.measured is None or not finding.allowed:
        return 0.0
    return finding.measured / finding.allowed


SOLVER = "proxqp"
"""The default QP solver for laws that use one."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A plugin under test.

    Attributes:
        role: name of the role.
        cls: the plugin's class.
        config: its settings.
        solver: class of the QP solver for its constructor, None if it takes none.
        scene: scene for a controller that needs a particular body; None: use the checks' own
            bodies.
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
    def claims(self) -> Claims:
        """The claims of a contact law or an impact model with these settings."""
        claims: Claims = self.make().claims
        return claims

    def can(self, capability: Capability) -> bool:
        """Return whether the plugin declares a capability."""
        return capability in self.cls.capabilities

    def require(self, capability: Capability) -> None:
        """Continue only if the plugin declares a capability.

        Raises:
            NotApplicable: if it does not declare it.
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
        registry: registry for names; by default the installed plugins.
        config: the plugin's settings; by default those of its Config.
        solver: name of the QP solver for plugins that take one.
        scene: for a controller: a scene in which it drives a body; gives the default settings.

    Raises:
        PluginError: if there is no such role or plugin, the class does not belong to the role,
            the settings are not valid, the scene has no such controller, or a solver is named
            for a plugin without one.
    """
    registry = registry if registry is not None else discover()
    if isinstance(plugin, str):
        entry = registry.find(role, plugin)
    else:
        name = getattr(plugin, "name", plugin.__name__)
        catalog = Registry().catalog(role)
        catalog.add(name, lambda: plugin, summary="under test")
        entry = catalog[name]
    cls = entry.load()
    made_with = None
    if getattr(cls, "uses_solver", False):
        made_with = registry.find("solver", solver).load()
    elif solver != SOLVER:
        raise PluginError(f'solver {solver!r}: {role} "{cls.name}" takes no QP solver')
    if scene is not None and config is None:
        config = _of_scene(scene, role, cls)
    return Subject(role, cls, _settings(entry.title, cls, config), made_with, scene)


def _of_scene(scene: str, role: str, cls: type[Plugin]) -> PluginConfig:
    """Return the settings of a controller in a scene."""
    from footfall.scene.load import load_scene

    if role != "controller":
        raise PluginError(f"scene: only controllers take one here, not {role} {cls.name!r}")
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
        return validate(cls.Config, config or {}, file=None, lines={})
    except SceneError as error:
        hint = " (or a scene: --scene)" if title.startswith("controller") else ""
        raise PluginError(f"{title}: the checks need valid settings: {error}{hint}") from None


Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one check.

    Attributes:
        check: the check.
        outcome: ``skipped`` if the check does not apply to the plugin.
        finding: the finding; for a skipped check, the reason.
        seconds: its wall-clock time.
    """

    check: Check
    outcome: Outcome
    finding: Finding
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """All results of one plugin; printing it prints a table.

    Attributes:
        role: name of the role.
        plugin: name of the plugin.
        results: one per check, in the role's order.
    """

    role: str
    plugin: str
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[Result, ...]:
        """The checks that failed."""
        return self._of("failed")

    @property
    def skipped(self) -> tuple[Result, ...]:
        """The checks that do not apply to the plugin."""
        return self._of("skipped")

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Outcome, name and finding of each check, as text."""
        return [(r.outcome, r.check.name, describe(r.finding)) for r in self.results]

    @property
    def summary(self) -> str:
        """The result in one line."""
        passed = len(self._of("passed"))
        counts = f"{passed} passed, {len(self.failures)} failed, {len(self.skipped)} not applicable"
        return f'{self.role} "{self.plugin}": {counts}'

    def __str__(self) -> str:
        width = max((len(name) for _, name, _ in self.rows), default=0)
        lines = [f"{outcome:8}{name:{width + 2}}{text}" for outcome, name, text in self.rows]
        return "\n".join([*lines, self.summary])

    def _of(self, outcome: Outcome) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.outcome == outcome)

"""Named checks and what they find."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footfall.registry.entry import reason

if TYPE_CHECKING:
    from footfall.interfaces.plugin import Plugin, PluginConfig
    from footfall.registry.registry import Registry
    from footfall.testing.subject import Subject


class NotApplicable(Exception):  # noqa: N818 - a reason, not an error
    """A check is not about this plugin; says what the plugin does not declare."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found.

    Attributes:
        passed: whether the plugin keeps what the check asserts.
        message: what was looked at, and where the worst was found.
        measured: the figure that decides, in the unit that the message names, or None.
        allowed: the largest that it may be, or None.
    """

    passed: bool
    message: str
    measured: float | None = None
    allowed: float | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that every plugin of a role must keep.

    Attributes:
        role: name of the role.
        name: unique within the role.
        asserts: what, in one sentence.
        run: examines a plugin; raises ``NotApplicable`` if the check is not about it.
    """

    role: str
    name: str
    asserts: str
    run: Callable[[Subject], Finding]

    def __str__(self) -> str:
        return self.name

    def examine(self, subject: Subject) -> Finding:
        """Run the check; an exception of the plugin's is a finding against it.

        Raises:
            NotApplicable: if the check is not about this plugin.
        """
        try:
            return self.run(subject)
        except NotApplicable:
            raise
        except Exception as error:
            return Finding(False, f"raised {reason(error)}")

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
            registry: where names are looked up; by default what is installed.
            config: the plugin's settings; by default its Config's own.

        Raises:
            AssertionError: if it does not.
            unittest.SkipTest: if the check is not about this plugin (pytest skips as well).
        """
        from footfall.testing.subject import subject_of

        try:
            finding = self.examine(subject_of(self.role, plugin, registry, config))
        except NotApplicable as why:
            raise unittest.SkipTest(str(why)) from None
        if not finding.passed:
            raise AssertionError(f"{self.name}: {self.asserts}: {describe(finding)}")


def checks_of(role: str, *functions: Callable[[Subject], Finding]) -> tuple[Check, ...]:
    """Make checks of functions: their names, and the first lines of their docstrings."""
    return tuple(
        Check(
            role,
            function.__name__,
            (function.__doc__ or "").strip().splitlines()[0].rstrip("."),
            function,
        )
        for function in functions
    )


def within(message: str, measured: float, allowed: float) -> Finding:
    """Find whether a figure is within its bound; a NaN never is."""
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
        raise NotApplicable("nothing to look at")
    return kept


def describe(finding: Finding) -> str:
    """Write a finding in one line."""
    if finding.measured is None or finding.allowed is None:
        return finding.message
    return f"{finding.message}: {finding.measured:.3g}, allowed {finding.allowed:.3g}"


def _nearness(finding: Finding) -> float:
    if finding.measured is None or not finding.allowed:
        return 0.0
    return finding.measured / finding.allowed

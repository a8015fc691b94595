"""What the checks of a role found of one plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footfall.testing.check import Check, Finding, describe

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Result:
    """How one check ended.

    Attributes:
        check: the check.
        outcome: ``skipped`` if the check is not about the plugin.
        finding: what was found; of a skipped check, why it was skipped.
        seconds: wall-clock time that it took.
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
        results: one a check, in the role's order.
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
        """The checks that are not about the plugin."""
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

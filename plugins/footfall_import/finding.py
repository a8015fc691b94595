"""What an import found that its user should know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["note", "warning", "error"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found, one line.

    Attributes:
        level: ``error``: no folder is written; ``warning``: something is left out or looks wrong;
            ``note``: what was chosen, or is worth knowing.
        subject: what it is about, e.g. ``joint "l_knee"``.
        text: what was found.
    """

    level: Level
    subject: str
    text: str


def worst_first(findings: list[Finding]) -> list[Finding]:
    """Return the findings by level, in their order within a level; equal ones once."""
    distinct = list(dict.fromkeys(findings))
    return sorted(distinct, key=lambda finding: LEVELS.index(finding.level))

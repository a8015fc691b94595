"""Contact laws and impact models: the two roles, and the contact problem that both see."""

from __future__ import annotations

from footfall.interfaces.contact import Claims, ForceLaw, ImpactModel, ImpulseLaw, LawState, Need
from footfall.problem.arrays import (
    REPORT,
    SIZE,
    BlockKind,
    allocate,
    lone_problem,
)
from footfall.problem.contact_problem import ContactProblem, Report

__all__ = [
    "REPORT",
    "SIZE",
    "BlockKind",
    "Claims",
    "ContactProblem",
    "ForceLaw",
    "ImpactModel",
    "ImpulseLaw",
    "LawState",
    "Need",
    "Report",
    "allocate",
    "lone_problem",
]

"""The contact-model role: laws over one contact problem."""

from __future__ import annotations

from footfall.interfaces.contact import ForceLaw, ImpulseLaw, LawState, Need
from footfall.problem.arrays import BlockKind, allocate, lone_problem
from footfall.problem.contact_problem import ContactProblem

__all__ = [
    "BlockKind",
    "ContactProblem",
    "ForceLaw",
    "ImpulseLaw",
    "LawState",
    "Need",
    "allocate",
    "lone_problem",
]

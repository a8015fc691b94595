"""What a contact law says of itself."""

from __future__ import annotations

import math

from footfall.interfaces.contact import ForceLaw, ImpulseLaw, Need
from footfall.problem.arrays import BlockKind
from footfall.testing.check import Finding, Subject
from footfall.testing.declarations import plugin_mistakes


def declarations(subject: Subject) -> Finding:
    """What the class declares is well formed."""
    cls, made = subject.cls, subject.make()
    mistakes = plugin_mistakes(cls, made)
    if not issubclass(cls, ImpulseLaw | ForceLaw):
        mistakes.append("is neither an ImpulseLaw nor a ForceLaw")
    if not cls.blocks or not all(isinstance(kind, BlockKind) for kind in cls.blocks):
        mistakes.append("blocks must be a set of BlockKind, not empty")
    if not all(isinstance(need, Need) for need in cls.needs):
        mistakes.append("needs must be a set of Need")
    bound = cls.residual_bound
    if bound is not None and not 0.0 < bound < 1e-2:
        mistakes.append("residual_bound must be None or between 0 and 0.01 m/s")
    if bound is not None and made.anisotropy:
        mistakes.append("a law with a residual_bound solves the exact cone: its anisotropy is 0")
    if not (math.isfinite(made.anisotropy) and 0.0 <= made.anisotropy <= 1.0):
        mistakes.append("anisotropy must be between 0 and 1")
    if not (math.isfinite(cls.creep) and 0.0 <= cls.creep < 0.1):
        mistakes.append("creep must be between 0 and 0.1 m/s")
    if not (math.isfinite(made.margin) and made.margin >= 0.0):
        mistakes.append(f"margin is {made.margin}, must be a length")
    return Finding(not mistakes, "; ".join(mistakes) or "class attributes")

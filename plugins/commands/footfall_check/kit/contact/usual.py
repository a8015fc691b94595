"""The test cases of a law or an impact model, by its declarations."""

from __future__ import annotations

import math

import numpy as np

from footfall.api.advanced import ContactModel
from footfall.api.contact import BlockKind, ForceLaw, ImpactModel, ImpulseLaw, Need
from footfall.testing.check import Finding, NotApplicable, Subject
from footfall.testing.declarations import declared, plugin_mistakes, residual_mistakes
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import chain, foot, point_masses

APPROXIMATE = 1e-6
"""Speed tolerance in equal problems for laws that declare no residual, [m/s]."""


def regular(subject: Subject) -> tuple[Case, ...]:
    """Return the cases with a regular Delassus matrix that the plugin can solve."""
    return _fitting(subject, tuple(chain(seed) for seed in range(6)))


def usual(subject: Subject) -> tuple[Case, ...]:
    """Return the regular and singular cases that the plugin can solve."""
    return _fitting(subject, (chain(1), foot(2), chain(3), foot(4)))


def smooth(subject: Subject) -> tuple[Case, ...]:
    """Return points without friction that move along the normal, where the cone is a line."""
    speed = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.3, 0.0, 0.2]])
    return _fitting(subject, (point_masses(speed, mu=0.0),))


def claimed_residual(subject: Subject) -> float:
    """Return the natural-map residual claimed by a law.

    Raises:
        NotApplicable: if it claims none.
    """
    bound = subject.claims.residual
    if bound is None:
        raise NotApplicable("claims no residual: it solves other equations")
    return float(bound)


def accuracy(subject: Subject) -> float:
    """Return the speed to which equal problems must have equal answers, [m/s].

    A hundred times the claimed residual, for the condition number of the cases.
    """
    bound = subject.claims.residual
    return APPROXIMATE if bound is None else 100.0 * float(bound)


def _fitting(subject: Subject, cases: tuple[Case, ...]) -> tuple[Case, ...]:
    cls = subject.cls
    if issubclass(cls, ContactModel) and BlockKind.CONE not in cls.blocks:
        raise NotApplicable("solves no contacts")
    impacts = tuple(case.as_impact() for case in cases)
    if issubclass(cls, ImpactModel):
        return impacts
    return cases if issubclass(cls, ForceLaw) else cases + impacts


def declarations(subject: Subject) -> Finding:
    """Check that the declarations of the class are well formed."""
    cls, made = subject.cls, subject.make()
    mistakes = plugin_mistakes(cls, made)
    if not issubclass(cls, ImpulseLaw | ForceLaw):
        mistakes.append("is neither an ImpulseLaw nor a ForceLaw")
    if not cls.blocks or not all(isinstance(kind, BlockKind) for kind in cls.blocks):
        mistakes.append("blocks must be a set of BlockKind, not empty")
    if not all(isinstance(need, Need) for need in cls.needs):
        mistakes.append("needs must be a set of Need")
    claims = made.claims
    bound = claims.residual
    mistakes += residual_mistakes(bound)
    if bound is not None and claims.anisotropy:
        mistakes.append("a law that claims a residual solves the exact cone: its anisotropy is 0")
    if not (math.isfinite(claims.anisotropy) and 0.0 <= claims.anisotropy <= 1.0):
        mistakes.append("anisotropy must be between 0 and 1")
    if not (math.isfinite(claims.creep) and 0.0 <= claims.creep < 0.1):
        mistakes.append("creep must be between 0 and 0.1 m/s")
    if not (math.isfinite(made.margin) and made.margin >= 0.0):
        mistakes.append(f"margin is {made.margin}, must be a length")
    return declared(mistakes)

"""Which cases a law or an impact model is tried on."""

from __future__ import annotations

import numpy as np

from footfall.interfaces.contact import ContactModel, ForceLaw
from footfall.interfaces.impact import ImpactModel
from footfall.problem.arrays import BlockKind
from footfall.testing.check import NotApplicable, Subject
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import chain, foot, point_masses

APPROXIMATE = 1e-6
"""Speed to which laws that declare no residual are held where they must not deviate, [m/s]."""


def regular(subject: Subject) -> tuple[Case, ...]:
    """Return cases with a regular Delassus matrix, of the kinds that the plugin solves."""
    return _fitting(subject, tuple(chain(seed) for seed in range(6)))


def usual(subject: Subject) -> tuple[Case, ...]:
    """Return regular and singular cases, of the kinds that the plugin solves."""
    return _fitting(subject, (chain(1), foot(2), chain(3), foot(4)))


def smooth(subject: Subject) -> tuple[Case, ...]:
    """Return points without friction that rise and fall straight, where the cone is a line."""
    speed = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.3, 0.0, 0.2]])
    return _fitting(subject, (point_masses(speed, mu=0.0),))


def residual_bound(subject: Subject) -> float:
    """Return the natural-map residual that a law promises.

    Raises:
        NotApplicable: if it promises none.
    """
    bound = subject.cls.residual_bound
    if bound is None:
        raise NotApplicable("declares no residual_bound: it solves other equations")
    return float(bound)


def accuracy(subject: Subject) -> float:
    """Return the speed to which equal problems must have equal answers, [m/s].

    A hundred times the residual that is promised, for the condition number of the cases.
    """
    bound = subject.cls.residual_bound
    return APPROXIMATE if bound is None else 100.0 * float(bound)


def _fitting(subject: Subject, cases: tuple[Case, ...]) -> tuple[Case, ...]:
    cls = subject.cls
    if issubclass(cls, ContactModel) and BlockKind.CONE not in cls.blocks:
        raise NotApplicable("solves no contacts")
    impacts = tuple(case.as_impact() for case in cases)
    if issubclass(cls, ImpactModel):
        return impacts
    return cases if issubclass(cls, ForceLaw) else cases + impacts

"""Energy and restitution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.api.contact import ForceLaw, ImpactModel
from footfall.api.plugin import Capability
from footfall.testing.check import Finding, NotApplicable, Subject, within, worst
from footfall.testing.problems.answer import Answer, ready, solve
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import point_masses
from footfall_check.kit.contact.usual import accuracy, regular, usual

ROUNDING = 1e-12


def energy(subject: Subject) -> Finding:
    """Check that contact creates no energy in an impact or in a step without other forces."""
    cases = [replace(case, v_free=case.v, gap=np.zeros_like(case.gap)) for case in usual(subject)]
    if subject.can(Capability.RESTITUTION):
        impacts = [case for case in (*cases, *regular(subject)) if case.impulsive]
        cases += [_bouncing(case, e) for case in impacts for e in (0.7, 1.0)]
    return worst(_energy(subject, case) for case in cases)


def _bouncing(case: Case, e: float) -> Case:
    """Return the frictionless impact with one e; some of its points approach, some separate.

    With friction, Newton's hypothesis itself can create energy (Kane and Levinson 1985). So it can
    with several coefficients. With one coefficient and no friction it cannot.
    """
    smooth = case.without_friction()
    return replace(smooth, name=f"{smooth.name}, e = {e:g}", restitution=e + 0.0 * case.mu)


def _energy(subject: Subject, case: Case) -> Finding:
    answer = solve(ready(subject), case)
    if issubclass(subject.cls, ForceLaw):
        gain = float(answer.impulse @ (case.J @ case.v))
    else:
        gain = case.kinetic(case.after(answer.impulse)) - case.kinetic(case.start)
    slack = ROUNDING * case.kinetic(case.start)
    slack += 0.01 * accuracy(subject) * float(np.abs(answer.impulse).sum())
    return within(f"{case.name}: gain of kinetic energy [J]", gain, slack)


def restitution(subject: Subject) -> Finding:
    """Check that points rebound with e times their approach speed."""
    subject.require(Capability.RESTITUTION)
    if issubclass(subject.cls, ForceLaw):
        raise NotApplicable("computes forces, which do not act in an instant")
    falling = np.array([[0.0, 0.0, -1.0], [0.4, 0.2, -2.0], [-3.0, 1.0, -0.5]])
    return worst(
        _restitution(subject, replace(case, restitution=np.array(e)).as_impact())
        for case in (point_masses(falling), point_masses(falling, mu=0.0))
        for e in ([0.0, 0.0, 0.0], [0.25, 0.5, 0.75], [1.0, 1.0, 0.3])
    )


def _restitution(subject: Subject, case: Case) -> Finding:
    answer = solve(ready(subject), case)
    expected = -case.restitution * (case.J @ case.v)[2::3]
    error = float(np.abs(answer.velocity[2::3] - expected).max())
    shown = ", ".join(f"{e:g}" for e in case.restitution)
    return within(f"{case.name}, e {shown}: error of a rebound [m/s]", error, accuracy(subject))


def stops(subject: Subject) -> Finding:
    """Check that after an impact no touching point moves into the ground."""
    if not subject.cls.acts:
        raise NotApplicable("does not act")
    return worst(_stops(case, solve(ready(subject), case), subject) for case in usual(subject))


def _stops(case: Case, answer: Answer, subject: Subject) -> Finding:
    assert issubclass(subject.cls, ImpactModel)
    into = float(np.maximum(-answer.velocity[2::3], 0.0).max())
    return within(f"{case.name}: speed into the ground [m/s]", into, accuracy(subject))

"""The checks of impact models."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Capability
from footfall.testing.check import Finding, NotApplicable, Subject, checks_of, within, worst
from footfall.testing.declarations import declared, plugin_mistakes, residual_mistakes
from footfall.testing.problems.answer import ready, solve
from footfall.testing.problems.case import Case
from footfall_check.kit.contact import (
    calls,
    conditions,
    degenerate,
    energy,
    landings,
    simulated,
    symmetry,
)
from footfall_check.kit.contact.usual import usual


def declarations(subject: Subject) -> Finding:
    """Check that the declarations of the class are well formed."""
    residual = subject.claims.residual
    return declared(plugin_mistakes(subject.cls) + residual_mistakes(residual))


def null(subject: Subject) -> Finding:
    """Check that a model that declares it does not act gives no impulse."""
    if subject.cls.acts:
        raise NotApplicable("acts")
    return worst(_null(subject, case) for case in usual(subject))


def _null(subject: Subject, case: Case) -> Finding:
    size = float(np.abs(solve(ready(subject), case).impulse).max())
    return within(f"{case.name}: impulse [N s]", size, 0.0)


def pushes(subject: Subject) -> Finding:
    """Check that impulses push and stay in the friction cone; none sideways without friction."""
    if subject.cls.bilateral:
        raise NotApplicable("declares that it holds points, so its impulses may pull")
    if subject.can(Capability.FRICTION):
        return conditions.cone(subject)
    return worst(_normal_only(subject, case) for case in usual(subject))


def _normal_only(subject: Subject, case: Case) -> Finding:
    impulse = solve(ready(subject), case).impulse.reshape(-1, 3)
    wrong = max(float(np.abs(impulse[:, :2]).max()), float(-impulse[:, 2].min()))
    return within(f"{case.name}: sideways or pulling impulse [N s]", wrong, 1e-12)


CHECKS = checks_of(
    "impact",
    declarations,
    null,
    *calls.ALL,
    simulated.restore,
    *symmetry.ALL,
    energy.stops,
    pushes,
    conditions.natural_map,
    conditions.natural_map_singular,
    energy.energy,
    energy.restitution,
    landings.energy_with_friction,
    landings.flat_landing,
    landings.closed_loops,
    landings.mass_ratio,
    degenerate.no_contact,
    degenerate.duplicates,
    degenerate.not_finite,
)

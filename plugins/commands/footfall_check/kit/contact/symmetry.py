"""Checks of symmetry: axes, the world's orientation, order and other systems have no effect."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Capability, Floats
from footfall.testing.check import Finding, NotApplicable, Subject, within, worst
from footfall.testing.problems.answer import ready, solve
from footfall.testing.problems.case import Case, beside, spin
from footfall_check.kit.contact.usual import accuracy, regular

ROUNDING = 1e-12
ANGLES = (0.3, 0.785, 1.9)
"""Angles of the tangent axes, [rad]: generic ones, and the diagonal of a square pyramid."""


def rotation(subject: Subject) -> Finding:
    """Check that the answer turns with the system about the normals: no special direction."""
    if subject.claims.anisotropy > 0.0:
        raise NotApplicable(f"declares an anisotropy of {subject.claims.anisotropy:.3g}")
    return worst(_rotation(subject, case, a) for case in regular(subject) for a in ANGLES)


def _rotation(subject: Subject, case: Case, angle: float) -> Finding:
    angles: Floats = angle * np.arange(1.0, len(case.mu) + 1.0)
    expected = spin(angles) @ solve(ready(subject), case).velocity
    found = solve(ready(subject), case.spun(angles)).velocity
    return same(subject, f"{case.name}, axes turned by {angle:g} rad", expected, found)


def orientation(subject: Subject) -> Finding:
    """Check that turning the whole world changes nothing in the contact frames."""
    subject.require(Capability.TILTED_TERRAIN)
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    return worst(_orientation(subject, case, R) for case in regular(subject))


def _orientation(subject: Subject, case: Case, R: Floats) -> Finding:
    before, after = (solve(ready(subject), each) for each in (case, case.turned(R)))
    difference = float(np.abs(after.impulse - before.impulse).max())
    allowed = ROUNDING * max(1.0, float(np.abs(before.impulse).max()))
    return within(f"{case.name}: change of the impulse [N s]", difference, allowed)


def permutation(subject: Subject) -> Finding:
    """Check that the order of the contacts does not change the velocities."""
    return worst(_permutation(subject, case) for case in regular(subject))


def _permutation(subject: Subject, case: Case) -> Finding:
    order = np.roll(np.arange(len(case.mu))[::-1], 1)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    expected = solve(ready(subject), case).velocity[rows]
    found = solve(ready(subject), case.permuted(order)).velocity
    return same(subject, f"{case.name}, permuted", expected, found)


def apart(subject: Subject) -> Finding:
    """Check that two systems that do not touch move as if each were alone."""
    subject.require(Capability.SEVERAL_BODIES)
    pairs = zip(regular(subject)[:-1], regular(subject)[1:], strict=True)
    return worst(_apart(subject, a, b) for a, b in pairs if a.impulsive == b.impulsive)


def _apart(subject: Subject, a: Case, b: Case) -> Finding:
    alone = np.concatenate([solve(ready(subject), case).velocity for case in (a, b)])
    both = beside(a, b)
    return same(subject, both.name, alone, solve(ready(subject), both).velocity)


def same(subject: Subject, name: str, expected: Floats, found: Floats) -> Finding:
    """Compare velocities that must agree to the accuracy of the law."""
    difference = float(np.abs(found - expected).max())
    return within(f"{name}: change of a velocity [m/s]", difference, accuracy(subject))


ALL = (rotation, orientation, permutation, apart)

"""The conditions of contact: cone, complementarity, natural map, and their report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from footfall.api.contact import BlockKind, ProblemReport
from footfall.testing.check import Finding, NotApplicable, Subject, within, worst
from footfall.testing.problems import residuals
from footfall.testing.problems.answer import Answer, call, ready, solve, state_of
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import foot, limits, tower
from footfall_check.kit.contact.usual import claimed_residual, regular, smooth, usual

ROUNDING = 1e-12
MASS_RATIO = 100.0
CHANGE, PRESSED = 1e-7, 5e-5
"""Step of velocities, gaps and friction for central differences; depth below a case's, [m]."""
AGREEMENT = 0.01
"""Largest relative difference of a reported residual from the kit's."""


def cone(subject: Subject) -> Finding:
    """Check that impulses push, inside the friction cone (times 1 + the declared anisotropy)."""
    cases = *usual(subject), *regular(subject), *smooth(subject)
    return worst(_cone(subject, case) for case in cases)


def _cone(subject: Subject, case: Case) -> Finding:
    wide = 1.0 + subject.claims.anisotropy
    answer = solve(ready(subject), case)
    away = max(
        residuals.distance_to_cone(answer.impulse[rows], wide * float(mu))
        for rows, mu in zip(residuals.rows_of(case), case.mu, strict=True)
    )
    scale = max(1.0, float(np.abs(answer.impulse).max()))
    return within(f"{case.name}: distance to the cone [N s]", away, ROUNDING * scale)


def open_points(subject: Subject) -> Finding:
    """Check that a point above the ground that does not approach gets no impulse."""
    cases = [case for case in regular(subject) if not case.impulsive]
    return worst(_open_point(subject, case) for case in cases)


def _open_point(subject: Subject, case: Case) -> Finding:
    gap = case.gap.copy()
    gap[1] = 0.1
    far = replace(case, gap=gap)
    answer = solve(ready(subject), far)
    size = float(np.abs(answer.impulse[residuals.rows_of(far)[1]]).max())
    return within(f"{case.name}: impulse at 0.1 m above the ground [N s]", size, 0.0)


def natural_map(subject: Subject) -> Finding:
    """Check Signorini's and Coulomb's conditions to the declared residual: regular problems."""
    return _residuals(subject, regular(subject))


def natural_map_singular(subject: Subject) -> Finding:
    """Check the natural map if forces are not unique: feet on four coplanar points."""
    feet = [foot(seed) for seed in range(10, 14)]
    impacts = [case.as_impact() for case in feet]
    return _residuals(subject, impacts if subject.role == "impact" else [*feet, *impacts])


def natural_map_mass_ratio(subject: Subject) -> Finding:
    """Check the natural map if a light body carries a heavy one."""
    return _residuals(subject, [tower(seed, MASS_RATIO) for seed in range(3)])


def natural_map_limits(subject: Subject) -> Finding:
    """Check the natural map with joint limits and joint friction among the contacts."""
    lacking = {BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.BOX} - subject.cls.blocks
    if lacking:
        raise NotApplicable(f"does not take {', '.join(sorted(k.name.lower() for k in lacking))}")
    return _residuals(subject, [limits(seed) for seed in range(3)])


def _residuals(subject: Subject, cases: Iterable[Case]) -> Finding:
    bound = claimed_residual(subject)
    return worst(
        within(f"{case.name}: natural-map residual [m/s]", _measure(case, answer), bound)
        for case, answer in _solved(subject, cases)
    )


def _solved(subject: Subject, cases: Iterable[Case]) -> Iterable[tuple[Case, Answer]]:
    return ((case, solve(ready(subject), case)) for case in cases)


def _measure(case: Case, answer: Answer) -> float:
    """Measure an answer against the law's own target, whose offset must be a valid one."""
    return max(
        residuals.natural_map(case, answer.impulse, answer.target), _odd_offset(case, answer)
    )


def _odd_offset(case: Case, answer: Answer) -> float:
    """Return the excess of an offset over gap over dt, restitution and stabilisation.

    Otherwise a law could choose any velocity as its target. Tangents have no offset; a normal has
    at most the gap over dt, or e times the velocity before an impact.
    """
    largest = 0.0
    for i, rows in enumerate(residuals.rows_of(case)):
        offset, before = answer.offset[rows], float((case.J @ case.v)[rows][-1])
        room = abs(float(case.gap[i])) / case.dt
        if case.impulsive:
            room = float(case.restitution[i]) * abs(before)
        largest = max(largest, abs(float(offset[-1])) - room, *(abs(offset[:-1]).tolist() or [0.0]))
    return largest if largest > ROUNDING else 0.0


def complementarity(subject: Subject) -> Finding:
    """Check that impulse and target are complementary: ``r . (u + mu |u_t| n) = 0``."""
    bound = claimed_residual(subject)
    return worst(
        within(
            f"{case.name}: complementarity over |r| |u|",
            residuals.complementarity(case, answer.impulse, answer.target),
            10.0 * bound,
        )
        for case, answer in _solved(subject, regular(subject))
    )


def reported_residual(subject: Subject) -> Finding:
    """Check that the reported natural-map residual is that of the law's answer."""
    claimed_residual(subject)
    hard = [tower(seed, 1000.0) for seed in range(2)]
    cases = [*regular(subject), *hard, *(foot(seed) for seed in range(10, 12))]
    return worst(_reported(case, answer) for case, answer in _solved(subject, cases))


def _reported(case: Case, answer: Answer) -> Finding:
    found = residuals.natural_map(case, answer.impulse, answer.target)
    told = float(answer.report[ProblemReport.RESIDUAL])
    message = f"{case.name}: reported {told:.3g}, the kit finds {found:.3g}; difference [m/s]"
    return within(message, abs(told - found), AGREEMENT * found + 1e-12)


def slopes(subject: Subject) -> Finding:
    """Check a law's own derivative against central differences of its answers."""
    cases = [case for case in regular(subject) if not case.impulsive]
    return worst(_slopes(subject, replace(case, gap=case.gap - PRESSED)) for case in cases)


def _slopes(subject: Subject, case: Case) -> Finding:
    plugin, problem = ready(subject), case.problem()
    state, rng = state_of(plugin, len(case.mu), len(case.v)), np.random.default_rng(0)
    call(plugin, problem, state)
    if (found := plugin.slopes(problem, state)) is None:
        raise NotApplicable("gives no derivative of its own")
    given = {name: getattr(case, name) for name in ("v", "v_free", "gap", "mu")}
    change = {name: rng.normal(size=value.shape) for name, value in given.items()}
    forth, back = (
        solve(ready(subject), replace(case, **{n: x + h * change[n] for n, x in given.items()}))
        for h in (CHANGE, -CHANGE)
    )
    by_impulse, by_velocity, *others = found
    dr, du = (
        0.5 * (getattr(forth, name) - getattr(back, name)) / CHANGE
        for name in ("impulse", "velocity")
    )
    dw = case.J @ change["v"]
    terms = [by_impulse @ dr, by_velocity @ du]
    terms += [a @ d for a, d in zip(others, (dw, change["gap"], change["mu"]), strict=True)]
    size = max(np.abs(term).max() for term in terms)
    error = float(np.abs(sum(terms)).max() / max(size, ROUNDING))
    return within(f"{case.name}: error of the derivative, relative", error, 1e-4)

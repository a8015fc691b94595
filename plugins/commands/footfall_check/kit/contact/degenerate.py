"""Degenerate input: no contacts, duplicates, no friction, NaN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.api.contact import ContactProblem, ForceLaw, ImpulseLaw, ProblemReport
from footfall.api.plugin import FootfallError
from footfall.testing.check import Finding, NotApplicable, Subject, within, worst
from footfall.testing.problems.answer import call, read, ready, solve, state_of
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import cones
from footfall_check.kit.contact.symmetry import same
from footfall_check.kit.contact.usual import regular, usual

READ = ("free_velocity", "velocity", "W", "mu", "gap")
"""Arrays that get a NaN, one at a time."""
PRESSED = 3e-4
"""Additional depth of points for springs, [m]."""


def no_contact(subject: Subject) -> Finding:
    """Check that a problem without contacts is solved: there is nothing to do."""
    v = np.ones(6)
    none = cones("no contact", np.eye(6), np.zeros((0, 6)), v, v, np.zeros((0, 3, 3)))
    plugin = ready(subject)
    for case in (none, usual(subject)[0], none):
        answer = solve(plugin, case)
    report = answer.report
    quiet = bool(
        np.isfinite(report).all()
        and report[ProblemReport.FAILED] == report[ProblemReport.CORRECTS] == 0.0
    )
    return Finding(quiet, f"reports {', '.join(f'{x:g}' for x in report)}")


def duplicates(subject: Subject) -> Finding:
    """Check that duplicate contacts move like single ones; a soft law must only stay finite."""
    return worst(_duplicates(subject, case) for case in regular(subject))


def _duplicates(subject: Subject, case: Case) -> Finding:
    order = np.repeat(np.arange(len(case.mu)), 2)
    twice = solve(ready(subject), case.permuted(order))
    title = f"{case.name}, each contact twice"
    made = subject.make()
    soft = isinstance(made, ImpulseLaw) and made.rest_depth(1.0) > 0.0
    if soft or isinstance(made, ForceLaw):  # twice as stiff
        return Finding(bool(np.isfinite(twice.impulse).all()), f"{title}: finite")
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    return same(subject, title, solve(ready(subject), case).velocity[rows], twice.velocity)


def frictionless(subject: Subject) -> Finding:
    """Check that with mu = 0 there is no impulse along the ground."""
    return worst(_frictionless(subject, case.without_friction()) for case in usual(subject))


def _frictionless(subject: Subject, case: Case) -> Finding:
    impulse = solve(ready(subject), case).impulse.reshape(-1, 3)
    along = float(np.hypot(impulse[:, 0], impulse[:, 1]).max())
    return within(f"{case.name}: impulse along the ground [N s]", along, 0.0)


def not_finite(subject: Subject) -> Finding:
    """Check that a NaN raises a clear error or is reported; a finite answer must not hide it."""
    if not getattr(subject.cls, "acts", True):
        raise NotApplicable("does not act")
    cases = usual(subject)[::2]
    if issubclass(subject.cls, ForceLaw):  # a spring without load reads nothing
        cases = tuple(replace(case, gap=case.gap - PRESSED) for case in cases)
    return worst(_hide(subject, case) for case in cases)


def _hide(subject: Subject, case: Case) -> Finding:
    """Put a NaN into each array that the plugin reads, one at a time."""
    looked = []
    for name, at in _places(case):
        if not _looks(subject, case, name, at):
            continue
        looked.append(name)
        if _swallowed(subject, case, name, at):
            return Finding(False, f"{case.name}: a NaN in {name} gives a finite answer, unreported")
    found = ", ".join(dict.fromkeys(looked)) or "no array that it reads"
    return Finding(bool(looked), f"{case.name}: NaN in {found}")


def _places(case: Case) -> Iterator[tuple[str, int]]:
    problem = case.problem()
    for name in READ:
        size = getattr(problem.arrays, name).size
        yield from ((name, at) for at in sorted({0, size // 2, size - 1}))


def _looks(subject: Subject, case: Case, name: str, at: int) -> bool:
    """Return whether another finite value changes the answer, or is rejected."""
    base = _answer(subject, case.problem(), case)
    problem = case.problem()
    array = getattr(problem.arrays, name)
    array[at] = 1.01 * array[at] + 1e-4
    try:
        return _answer(subject, problem, case) != base
    except FootfallError:
        return True


def _answer(subject: Subject, problem: ContactProblem, case: Case) -> bytes:
    plugin = ready(subject)
    call(plugin, problem, state_of(plugin, len(case.mu), len(case.v)))
    return problem.impulse.tobytes() + problem.correction.tobytes()


def _swallowed(subject: Subject, case: Case, name: str, at: int) -> bool:
    plugin, problem = ready(subject), case.problem()
    getattr(problem.arrays, name)[at] = np.nan
    try:
        call(plugin, problem, state_of(plugin, len(case.mu), len(case.v)))
    except FootfallError:
        return False
    answer = read(case, problem)
    finite = bool(np.isfinite(answer.impulse).all() and np.isfinite(answer.correction).all())
    return finite and not answer.failed

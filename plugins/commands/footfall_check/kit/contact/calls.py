"""Checks of the call of a law: its required outputs, and the data it must not change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.api.advanced import ProblemArrays
from footfall.api.contact import ContactProblem, ForceLaw, ImpulseLaw
from footfall.testing.check import Finding, Subject, worst
from footfall.testing.problems.answer import Answer, call, read, ready, solve, state_of
from footfall.testing.problems.case import Case
from footfall_check.kit.contact.usual import usual

SPARE = 3
"""Number of spare blocks in storage."""


def outputs(subject: Subject) -> Finding:
    """Check that impulse, offset, correction and report are overwritten with finite values."""
    return worst(_outputs(subject, case) for case in usual(subject))


def _outputs(subject: Subject, case: Case) -> Finding:
    plugin, problem = ready(subject), case.problem()
    written = problem.arrays.offset, problem.arrays.correction, problem.arrays.report
    if isinstance(plugin, ImpulseLaw):
        for array in written:
            array[:] = np.nan
    call(plugin, problem, state_of(plugin, len(case.mu), len(case.v)))
    answer = read(case, problem)
    for name in ("impulse", "offset", "correction", "report"):
        if not np.isfinite(getattr(answer, name)).all():
            return Finding(False, f"{case.name}: {name} is not finite, or was not overwritten")
    iterations, residual, failed, corrects = answer.report
    if iterations < 0.0 or residual < 0.0 or failed not in (0.0, 1.0):
        return Finding(False, f"{case.name}: the report {answer.report} is invalid")
    if bool(corrects) != bool(np.any(answer.correction)) and not case.impulsive:
        return Finding(
            False, f"{case.name}: report.corrects is {corrects:g}, which contradicts the correction"
        )
    return Finding(not answer.failed, f"{len(case.mu)} contacts, {case.name}")


def spare_room(subject: Subject) -> Finding:
    """Check that storage beyond the problem's size is neither read nor written."""
    return worst(_spare_room(subject, case) for case in usual(subject))


def _spare_room(subject: Subject, case: Case) -> Finding:
    tight = solve(ready(subject), case)
    plugin, problem = ready(subject), with_spare_room(case.problem())
    n = problem.n_rows
    call(plugin, problem, state_of(plugin, len(case.mu), len(case.v)))
    a = problem.arrays
    beyond = [a.impulse[n:], a.offset[n:], a.correction[n:], a.free_velocity[n:]]
    if not all(np.isnan(part).all() for part in beyond):
        return Finding(False, f"{case.name}: wrote beyond the rows of the problem")
    same = read(case, problem).bits() == tight.bits()
    return Finding(same, f"{case.name}: same bits with more storage than is used")


def with_spare_room(problem: ContactProblem) -> ContactProblem:
    """Return a problem in larger storage, with NaN in the unused entries."""
    old = problem.arrays
    grown = {}
    for name, array in old._asdict().items():
        if name in ("size", "dt", "report") or not len(array):
            grown[name] = array.copy()
            continue
        wide = np.empty((array.shape[0] + 3 * SPARE, *array.shape[1:]), array.dtype)
        wide[:] = -1 if array.dtype == np.int64 else np.nan
        wide[: array.shape[0]] = array
        grown[name] = wide
    return ContactProblem(ProblemArrays(**grown))


def inputs(subject: Subject) -> Finding:
    """Check that only the requested outputs of the problem are changed."""
    return worst(_inputs(subject, case) for case in usual(subject))


def _inputs(subject: Subject, case: Case) -> Finding:
    plugin, problem = ready(subject), case.problem()
    state = state_of(plugin, len(case.mu), len(case.v))
    before = {name: array.tobytes() for name, array in problem.arrays._asdict().items()}
    kept = {p.name: state[p.name].tobytes() for p in plugin.state_parts if p.kind == "continuous"}
    call(plugin, problem, state)
    asked = {"impulse", "offset", "correction", "report"}
    after = problem.arrays._asdict()
    changed = [n for n in before if n not in asked and after[n].tobytes() != before[n]]
    if isinstance(plugin, ForceLaw):
        changed += [f"state {name}" for name in kept if state[name].tobytes() != kept[name]]
    if changed:
        return Finding(False, f"{case.name}: {', '.join(changed)} changed")
    return Finding(True, f"{len(before) - len(asked)} arrays compared, {case.name}")


def deterministic(subject: Subject) -> Finding:
    """Check that the same call on fresh objects gives the same bits."""
    return worst(_deterministic(subject, case) for case in usual(subject))


def _deterministic(subject: Subject, case: Case) -> Finding:
    answers = {solve(ready(subject), case).bits() for _ in range(3)}
    return Finding(len(answers) == 1, f"{case.name}: {len(answers)} different answers of 3")


def no_hidden_state(subject: Subject) -> Finding:
    """Check that an object that has solved other problems gives the same bits as a fresh one."""
    cases = usual(subject)
    fresh = [solve(ready(subject), case).bits() for case in cases]
    return worst(_compare(cases, fresh, used) for used in _used(subject, cases))


def _used(subject: Subject, cases: tuple[Case, ...]) -> Iterator[list[Answer]]:
    """Solve all cases in turn with one object, then all again."""
    plugin = ready(subject)
    for _ in range(2):
        yield [solve(plugin, case) for case in cases]


def _compare(cases: tuple[Case, ...], fresh: list[bytes], used: list[Answer]) -> Finding:
    for case, expected, answer in zip(cases, fresh, used, strict=True):
        if answer.bits() != expected:
            return Finding(False, f"{case.name}: other bits after other calls")
    return Finding(True, f"{len(cases)} problems in turn, with one object and with fresh ones")


ALL = (outputs, spare_room, inputs, deterministic, no_hidden_state)

"""Closed loops: equality rows among the contacts."""

from __future__ import annotations

import numpy as np

from footfall.api.contact import BlockKind, ForceLaw
from footfall.api.plugin import Ints
from footfall.testing.check import Finding, NotApplicable, Subject, within, worst
from footfall.testing.problems.answer import ready, solve
from footfall.testing.problems.case import Case
from footfall.testing.problems.loop_cases import loops, loops_in_coordinates
from footfall.testing.problems.residuals import rows_of
from footfall_check.kit.contact.symmetry import same
from footfall_check.kit.contact.usual import accuracy

SEEDS = range(4)


def equality(subject: Subject) -> Finding:
    """Check that equality rows hold, redundant ones included, and contacts move accordingly."""
    if BlockKind.EQUALITY not in subject.cls.blocks:
        raise NotApplicable("does not take equality rows")
    findings = [finding for seed in SEEDS for finding in closed(subject, seed, impulsive=False)]
    if not issubclass(subject.cls, ForceLaw):
        findings += [finding for seed in SEEDS for finding in closed(subject, seed, True)]
    return worst(findings)


def closed(subject: Subject, seed: int, impulsive: bool) -> list[Finding]:
    """Compare equality rows with the same loops closed by the choice of coordinates.

    Args:
        subject: the law or impact model.
        seed: of the mechanism.
        impulsive: whether it is an impact.
    """
    rows, free = loops(seed), loops_in_coordinates(seed)
    if impulsive:
        rows, free = rows.as_impact(), free.as_impact()
    answer = solve(ready(subject), rows)
    kept = float(np.abs(answer.velocity[_rows(rows, BlockKind.EQUALITY)]).max())
    moved = answer.velocity[_rows(rows, BlockKind.CONE)]
    expected = solve(ready(subject), free).velocity
    return [
        within(f"{rows.name}: velocity along an equality row [m/s]", kept, accuracy(subject)),
        same(subject, f"{rows.name}: contacts", expected, moved),
    ]


def _rows(case: Case, kind: BlockKind) -> Ints:
    every = np.arange(len(case.J))
    parts = [every[rows] for rows, k in zip(rows_of(case), case.kinds, strict=True) if k is kind]
    return np.concatenate(parts)

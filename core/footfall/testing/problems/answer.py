"""The answer of a law of either kind, or of an impact model, to a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.interfaces.contact import (
    ContactModel,
    ForceLaw,
    ImpactModel,
    ImpulseLaw,
    refuse_returned,
)
from footfall.interfaces.plugin import Plugin
from footfall.problem.arrays import ProblemReport
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.check import Subject
from footfall.testing.problems.case import Case
from footfall.typing import Floats

CAPACITY = 32
"""Number of contacts for which laws make room; no case has more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a law.

    Attributes:
        impulse: shape (rows,), [N s]; a force law's forces times dt.
        offset: shape (rows,), [m/s].
        correction: shape (rows,), [N s].
        report: shape (4,), as ``ProblemArrays.report``.
        velocity: shape (rows,), J v+ = W r + free velocity, [m/s].
    """

    impulse: Floats
    offset: Floats
    correction: Floats
    report: Floats
    velocity: Floats

    @property
    def target(self) -> Floats:
        """The velocity targeted by the law, shape (rows,)."""
        return self.velocity + self.offset

    @property
    def failed(self) -> bool:
        """Whether the law reports that it failed."""
        return bool(self.report[ProblemReport.FAILED] != 0.0)

    def bits(self) -> bytes:
        """All outputs of the law as bytes."""
        parts = (self.impulse, self.offset, self.correction, self.report)
        return b"".join(part.tobytes() for part in parts)


def ready(subject: Subject) -> Any:
    """Return a fresh object with room for every case."""
    plugin = subject.make()
    if isinstance(plugin, ContactModel):
        plugin.allocate(CAPACITY, 3 * CAPACITY)
    return plugin


def state_of(plugin: Plugin, contacts: int, nv: int) -> dict[str, Floats]:
    """Return the law's parts of a state at the start of a simulation: zeros."""
    rows = {"global": 1, "dof": nv, "contact": contacts}
    return {part.name: np.zeros((rows[part.per], part.width)) for part in plugin.state_parts}


def call(plugin: Any, problem: ContactProblem, state: dict[str, Floats]) -> None:
    """Solve a problem in place with a plugin; a force becomes the impulse of the step."""
    if isinstance(plugin, ImpulseLaw):
        refuse_returned(plugin, "solve", plugin.solve(problem, state))
    elif isinstance(plugin, ForceLaw):
        out = np.full(problem.n_rows, np.nan)
        problem.offset[:] = problem.correction[:] = 0.0
        rate = {k: np.zeros_like(v) for k, v in state.items()}
        refuse_returned(plugin, "force", plugin.force(problem, state, rate, out))
        problem.impulse[:] = problem.dt * out
    elif isinstance(plugin, ImpactModel):
        problem.correction[:] = 0.0
        plugin.resolve(problem)


def solve(plugin: Any, case: Case) -> Answer:
    """Return a plugin's answer to a case, from a cold start."""
    problem = case.problem()
    call(plugin, problem, state_of(plugin, len(case.mu), len(case.v)))
    return read(case, problem)


def read(case: Case, problem: ContactProblem) -> Answer:
    """Copy the outputs written to a problem."""
    impulse = problem.impulse.copy()
    return Answer(
        impulse,
        problem.offset.copy(),
        problem.correction.copy(),
        problem.arrays.report.copy(),
        case.delassus @ impulse + case.J @ case.start,
    )

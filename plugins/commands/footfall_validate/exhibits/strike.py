"""Collisions of bodies, computed from arrays without robot or simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from footfall.api.contact import ForceLaw
from footfall.api.plugin import Floats
from footfall.testing.check import Subject
from footfall.testing.problems.answer import ready, solve, state_of
from footfall.testing.problems.case import Case

TOUCH = 1e-12
"""Largest gap of touching bodies, [m]."""
STILL = 1e-6
"""Largest approach velocity that counts as zero, [m/s]."""
MOST = 1000
"""Most impacts in a sequence."""
STEP, LONGEST = 2e-5, 0.2
"""Time step of force laws, and their longest duration, [s]."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Motion of bodies after a collision.

    Attributes:
        v: shape (nv,), final velocity.
        impacts: number of successive impacts; 0 for force laws, whose contact takes time.
        ended: whether no bodies approach each other any more.
    """

    v: Floats
    impacts: int
    ended: bool


def strike(subject: Subject, case: Case) -> Outcome:
    """Let a contact law or an impact model resolve a collision until no bodies approach.

    Impulses resolve one impact after the other, each over the points that touch then; between
    impacts bodies move straight. Forces act in short steps with changing gaps until they end. A
    rigid force law that ignores an approach is called only once. Jacobians are constant, since the
    collision ends before anything has moved far.

    Args:
        subject: the law or impact model.
        case: bodies and their contacts, not impulsive; no other forces act.
    """
    if issubclass(subject.cls, ForceLaw):
        return _by_forces(subject, case)
    return _by_impacts(subject, case)


def _by_impacts(subject: Subject, case: Case) -> Outcome:
    v, gap, count = case.v.copy(), case.gap.copy(), 0
    while count < MOST:
        u = (case.J @ v)[2::3]
        approaching = u < -STILL
        if not approaching.any():
            return Outcome(v, count, True)
        touching = gap <= TOUCH
        if (touching & approaching).any():
            v, count = _impact(subject, case, v, np.flatnonzero(touching)), count + 1
            continue
        times = np.where(approaching, gap / np.where(approaching, -u, 1.0), np.inf)
        gap = gap + times.min() * u
        gap[times.argmin()] = 0.0
    return Outcome(v, count, False)


def _impact(subject: Subject, case: Case, v: Floats, touching: npt.NDArray[np.int64]) -> Floats:
    """Return the velocity after an impact at the touching contacts."""
    now = replace(case.permuted(touching), v=v, v_free=v).as_impact()
    return now.after(solve(ready(subject), now).impulse)


def _by_forces(subject: Subject, case: Case) -> Outcome:
    case = replace(case, dt=STEP)
    law, problem = ready(subject), case.problem()
    state = state_of(law, len(case.mu), len(case.v))
    rate = {name: np.zeros_like(part) for name, part in state.items()}
    force = np.zeros(problem.n_rows)
    call: Callable[[], object] = law.bound(problem, state, rate, force)
    per_impulse = np.linalg.solve(case.M, case.J.T)
    v, rigid = case.v.copy(), law.rest_depth(1.0) == 0.0
    for _ in range(round(LONGEST / STEP)):
        u = case.J @ v
        problem.velocity[:] = problem.free_velocity[:] = u
        if call():
            law.go_on()
        if rigid and ((u[2::3] < -STILL) & (problem.gap <= 0.0)).any() and not force.any():
            return Outcome(v, 0, False)
        v = v + STEP * (per_impulse @ force)
        _advance(law, state, rate)
        problem.gap[:] += STEP * (case.J @ v)[2::3]
        apart = problem.gap > 0.0
        if not force.any() and not ((case.J @ v)[2::3] < -STILL).any() and apart.all():
            return Outcome(v, 0, True)
    return Outcome(v, 0, not ((case.J @ v)[2::3] < -STILL).any())


def _advance(law: ForceLaw, state: dict[str, Floats], rate: dict[str, Floats]) -> None:
    """Advance the law's own continuous state by a step."""
    for part in law.state_parts:
        if part.kind == "continuous":
            state[part.name] += STEP * rate[part.name]

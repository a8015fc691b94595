"""Hard impacts: closed loops, mass ratios, friction with restitution, flat landings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.api.plugin import Capability
from footfall.testing.check import Finding, NotApplicable, Subject, within, worst
from footfall.testing.problems.answer import Answer, ready, solve
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import chain, plate, tower
from footfall_check.kit.contact.loops import closed
from footfall_check.kit.contact.usual import accuracy, regular, usual

RATIOS = (1e-4, 1.0, 1e2, 1e4)
"""Ratio of the upper to the lower box's mass, [-]."""
ROUNDING = 1e-12
SEEDS = range(4)


def closed_loops(subject: Subject) -> Finding:
    """Check that loops stay closed, redundant rows included, and contacts move accordingly."""
    _must_act(subject)
    subject.require(Capability.CLOSED_CHAINS)
    return worst(finding for seed in SEEDS for finding in closed(subject, seed, impulsive=True))


def mass_ratio(subject: Subject) -> Finding:
    """Check that two landing boxes of any masses stop without energy gain, if e = 0."""
    _must_act(subject)
    cases = [_landing(tower(seed, ratio)) for ratio in RATIOS for seed in range(3)]
    return worst(f for case in cases for f in _is_sound(subject, case, solve(ready(subject), case)))


def _landing(case: Case) -> Case:
    """Return the boxes moving down at 1 m/s, sliding at up to 0.3 m/s."""
    v, along = np.zeros(12), case.v_free[[0, 1, 6, 7]]
    v[[2, 8]], v[[0, 1, 6, 7]] = -1.0, 0.3 * along / np.abs(along).max()
    return replace(case, v=v, v_free=v).as_impact()


def _is_sound(subject: Subject, case: Case, answer: Answer) -> Iterator[Finding]:
    before = case.kinetic(case.start)
    gain = case.kinetic(case.after(answer.impulse)) - before
    into = float(np.maximum(-answer.velocity[2::3], 0.0).max())
    yield within(f"{case.name}: gain of kinetic energy over all of it", gain / before, ROUNDING)
    yield within(f"{case.name}: speed into each other [m/s]", into, accuracy(subject))


def energy_with_friction(subject: Subject) -> Finding:
    """Check that an impact with friction and restitution, one e or several, gains no energy."""
    _must_act(subject)
    subject.require(Capability.RESTITUTION)
    cases = [case for case in (*usual(subject), *regular(subject)) if case.impulsive]
    tried = [*cases, *(_tangled(seed) for seed in range(6))]
    found = [_bouncing(case, spread) for case in tried for spread in (False, True)]
    return worst(f for case in found for f in _is_sound(subject, case, solve(ready(subject), case)))


def _tangled(seed: int) -> Case:
    """Return four contacts on six dofs, coupled at random: Newton's hypothesis may gain energy."""
    rng = np.random.default_rng(seed)
    J, v = rng.normal(size=(12, 6)), rng.normal(size=6)
    case = replace(chain(seed), name=f"tangle {seed}", M=np.eye(6), J=J, v=v, v_free=v)
    return case.as_impact()


def _bouncing(case: Case, spread: bool) -> Case:
    e = np.linspace(0.2, 1.0, len(case.mu)) if spread else np.ones(len(case.mu))
    title = f"{case.name}, mu 1, e {'0.2 to 1' if spread else '1'}"
    return replace(case, name=title, mu=np.ones(len(case.mu)), restitution=e)


def flat_landing(subject: Subject) -> Finding:
    """Check that a flat landing on 1 to 8 points rebounds at e times the speed without turning."""
    _must_act(subject)
    rebounds = (0.0, 0.6) if subject.can(Capability.RESTITUTION) else (0.0,)
    return worst(_flat(subject, points, e) for points in (1, 2, 3, 4, 8) for e in rebounds)


def _flat(subject: Subject, points: int, e: float) -> Finding:
    case = plate(points)
    case = replace(case, restitution=np.full(points, e)).as_impact()
    expected = np.array([0.0, 0.0, e, 0.0, 0.0, 0.0])
    after = case.after(solve(ready(subject), case).impulse)
    error = float(np.abs(after - expected).max())
    return within(f"{case.name}, e = {e:g}: error of v [m/s, rad/s]", error, accuracy(subject))


def _must_act(subject: Subject) -> None:
    if not subject.cls.acts:
        raise NotApplicable("does not act")

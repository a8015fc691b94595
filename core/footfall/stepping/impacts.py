"""Impacts: a step in parts, up to each impact, the impact, and the rest.

An impact that is too slow does not bounce; under a compliant law points at rest have none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footfall.interfaces.contact import ContactModel, ForceLaw, ImpactModel, ImpulseLaw
from footfall.interfaces.plugin import Capability
from footfall.jit.compiling import bind
from footfall.jit.tables import Table
from footfall.kernels.step import stages as kernels
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.stepping.settings import StepSettings
from footfall.typing import Ints
from footfall.world.arrays import NEVER, STEP

if TYPE_CHECKING:
    from footfall.interfaces.contact import DelassusMethod
    from footfall.stepping.time_stepping import TimeStepping


ROUNDING = 1e-6
"""By which an approach speed may exceed the threshold, relative to it, [-]."""


def fast_candidates(problem: ContactProblem, threshold: float, touch: float = 0.0) -> Ints:
    """Return the candidates that came to the ground faster than the threshold, (n,).

    A step is not split where a point comes in slowly; the point is noticed up to a step later,
    below the ground and faster. With the acceleration a towards the ground it came to it at
    ``w^2 = u^2 - 2 a depth``. Judged by u instead, it would bounce on ``e g dt`` for ever under a
    law that knows no way back to the surface.

    Args:
        problem: of the step in which the points are noticed, with its own dt.
        threshold: [m/s].
        touch: gap up to which a point counts, [m].
    """
    contacts = np.flatnonzero((problem.kind == BlockKind.CONE) & (problem.gap <= touch))
    normal = problem.row[contacts] + 2
    u, free = problem.velocity[normal], problem.free_velocity[normal]
    a = np.maximum(u - free, 0.0) / problem.dt
    square = np.square(np.minimum(u, 0.0)) + 2.0 * a * problem.gap[contacts]
    fast = np.sqrt(np.maximum(square, 0.0)) > threshold * (1.0 + ROUNDING)
    return problem.candidate[contacts[fast]]


def drop_slow_restitution(problem: ContactProblem, fast: Ints) -> None:
    """Take the restitution from the contacts of an impact that no fast one is linked with.

    Slow points beside a fast one keep theirs: a shock may pass through them.

    Args:
        problem: the impact.
        fast: candidates that came fast, see ``fast_candidates``.
    """
    if not len(fast):
        problem.restitution[:] = 0.0
    elif problem.restitution.any():
        for blocks in problem.groups():
            if not np.isin(problem.candidate[blocks], fast).any():
                problem.restitution[blocks] = 0.0


def is_compliant(law: ContactModel) -> bool:
    """Return whether points at rest are in the ground: what presses them is the law's to stop."""
    return law.rest_depth(1.0) > 0.0


def departure_speed(law: ContactModel, impact: ImpactModel, threshold: float) -> float:
    """Return the speed over e from which restituting points that rise stay out of a problem.

    A rigid law for forces holds the acceleration of a touching point whatever its velocity, and
    would carry a body that an impact has just thrown up: at e times the threshold at least.
    """
    throws = impact.acts and Capability.RESTITUTION in impact.capabilities
    if throws and isinstance(law, ForceLaw) and not is_compliant(law):
        return threshold
    return NEVER


def slowest_located(law: ContactModel, impact: ImpactModel, settings: StepSettings) -> float:
    """Return the approach speed from which an impact without restitution is located, [m/s].

    It is what a step of fall gives: what is slower has come to the ground within the step before,
    and would have come to rest in it. A law of impulses that closes the gap first, and stops what
    is left of the approach in the next step, lets Coulomb's law act twice in one impact. Compliant
    contact takes time: nothing of it is located but what an impact model stops.
    """
    stops = impact.acts or (isinstance(law, ImpulseLaw) and not is_compliant(law))
    before = settings.impact_order == "before_contact" and settings.max_impact_splits > 0
    return STANDARD_GRAVITY * settings.time_step if stops and before else NEVER


CROWD = 32
"""Contacts beyond which inelastic impacts are left to the law: shocks through piles."""
STANDARD_GRAVITY = 9.80665
"""[m/s^2]"""
TOUCH = 1e-5
"""Gap up to which a point takes part in an impact, [m]: the error of a predicted impact time."""
SHORTEST = 1e-12
"""Rest of a step that is not worth making, [s]."""


class SplitStep:
    """Makes the steps in which something bounces, or newly touches where an impact model acts.

    Its kernels are compiled at the first impact: most scenes have none.

    Args:
        stepper: whose steps these are.
        settings: with restitution threshold, order and number of impacts.
        table: of the world's arrays.
        delassus: what computes the matrix of an impulsive problem.
    """

    def __init__(
        self, stepper: TimeStepping, settings: StepSettings, table: Table, delassus: DelassusMethod
    ) -> None:
        self._stepper, self._settings = stepper, settings
        self._table, self._delassus = table, delassus
        self._now = stepper.monitor.step

    @cached_property
    def _build(self) -> Callable[..., None]:
        build = bind(kernels.build_impact, self._table, like=(0.0, 0.0))
        return self._delassus.after_building(build)

    @cached_property
    def _apply(self) -> Callable[..., None]:
        return bind(kernels.apply_impact, self._table)

    @cached_property
    def _jump(self) -> Callable[..., None]:
        return bind(kernels.jump, self._table)

    def step(self, time: float, dt: float) -> None:
        """Go from the problem of a step of length dt, which is built, to the new state."""
        stepper, now, left, splits = self._stepper, self._now, dt, 0
        if stepper.impact.acts and now[STEP.new_touches] > 0.0:
            if self._settings.impact_order == "after_contact":
                self._step_then_impact(time, dt)
                return
            self._model_impact(time, dt)
        located, most = now[STEP.located], self._settings.max_impact_splits
        while now[STEP.next_impact] <= left:
            inelastic = now[STEP.impact_bounces] == 0.0
            if inelastic and (splits >= most or stepper.problem.n_blocks > CROWD):
                now[STEP.unresolved] += 1.0
                # The law's from here on; what bounces is still looked for.
                now[STEP.located] = NEVER
                stepper.sense(time + dt - left, left, lasting=left)
                continue
            if splits >= most:
                now[STEP.unresolved] += 1.0
                self._collide(time + dt - left, left, TOUCH + now[STEP.impact_speed] * left)
                break
            if now[STEP.next_impact] > 0.0:
                at = float(now[STEP.next_impact])
                self._part(time + dt - left, at)
                left -= at
            splits += 1
            self._collide(time + dt - left, left, TOUCH)
        now[STEP.splits], now[STEP.located] = splits, located
        if left > SHORTEST:
            stepper.solve(left)
            stepper.move(left)

    def _part(self, time: float, dt: float) -> None:
        """Move by a part of the step, up to an impact."""
        stepper = self._stepper
        self._now[STEP.approach_limit] = self._settings.restitution_threshold
        stepper.evaluate_again(dt)
        stepper.sense(time, dt, lasting=dt)
        stepper.solve(dt)
        stepper.move(dt)
        self._now[STEP.approach_limit] = NEVER
        stepper.evaluate(dt)

    def _collide(self, time: float, left: float, touch: float) -> None:
        """Resolve the impact of points with ``gap <= touch``, with restitution."""
        stepper, threshold = self._stepper, self._settings.restitution_threshold
        slow = self._now[STEP.impact_bounces] == 0.0 or self._now[STEP.impact_speed] <= threshold
        stepper.evaluate_again(0.0)
        stepper.sense(time, max(left, SHORTEST), lasting=0.0)
        if not self._closed(touch):
            # The ground bends or moves away: where a plane would have been met there is none.
            self._prepare_rest(time, left)
            return
        self._build(float(touch), self._settings.time_step)
        if slow:
            fast = fast_candidates(stepper.problem, threshold, touch)
            drop_slow_restitution(stepper.problem, fast)
        stepper.solve_impact()
        self._end_impact(time, left)

    def _closed(self, touch: float) -> bool:
        """Whether a gap is at most ``touch`` [m]."""
        collisions = self._stepper.collisions
        if (self._stepper.world.candidates.gap <= touch).any():
            return True
        return collisions is not None and collisions.closed(touch)

    def _model_impact(self, time: float, dt: float) -> None:
        """Let the impact model resolve the impact of points that newly touch."""
        self._resolve_new(time, dt)
        self._end_impact(time, dt)

    def _resolve_new(self, time: float, dt: float) -> None:
        """Find the impulse of points that newly touch; a slow impact has no restitution."""
        stepper = self._stepper
        fast = fast_candidates(stepper.problem, self._settings.restitution_threshold)
        stepper.evaluate_again(0.0)
        stepper.sense(time, dt, lasting=0.0)
        self._build(0.0, dt)
        drop_slow_restitution(stepper.problem, fast)
        stepper.impact.resolve(stepper.problem)

    def _apply_jump(self) -> None:
        """Apply the impulse of an impact."""
        self._apply()
        self._stepper.chains.book_impulses()
        self._now[STEP.impacts] += 1.0

    def _end_impact(self, time: float, left: float) -> None:
        """Apply the impulse and prepare the rest of the step with the new velocity."""
        self._apply_jump()
        self._prepare_rest(time, left)

    def _prepare_rest(self, time: float, left: float) -> None:
        """Prepare the rest of the step."""
        self._now[STEP.next_impact] = NEVER
        if left > SHORTEST:
            self._stepper.evaluate_again(left)
            self._stepper.sense(time, left, lasting=left)

    def _step_then_impact(self, time: float, dt: float) -> None:
        """Find forces first, from the velocity before the impact, and let it follow them."""
        stepper = self._stepper
        v = stepper.arrays.v
        before = v.copy()
        self._resolve_new(time, dt)
        self._apply_jump()
        change = v - before
        v[:] = before
        stepper.evaluate_again(dt)
        stepper.sense(time, dt, lasting=dt)
        stepper.solve(dt)
        # Only now: detected contacts may have got other arrays in between.
        stepper.scratch.change[:] = change
        self._jump()
        stepper.move(dt)
        stepper.scratch.change[:] = 0.0

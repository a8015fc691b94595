"""Time stepping: one step, or its parts between impacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from footfall.kernels import step as kernels
from footfall.kernels.compile import bind
from footfall.kernels.record import COLUMNS
from footfall.kernels.table import Evaluation, Scratch, table_of
from footfall.plugin import Capability
from footfall.problem.blocks import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.recording.layout import Layout, RaggedTable
from footfall.roles.contact import ContactModel, ForceLaw, ImpulseLaw, Need
from footfall.roles.integrator import OneStep
from footfall.simulation import closed_chains
from footfall.simulation.body_signals import Ahead
from footfall.simulation.law_arrays import law_state
from footfall.simulation.moving_ground import MovingGround
from footfall.simulation.parts import Physics
from footfall.simulation.resolve import Resolve, ResolveForce, ResolveImpulse
from footfall.simulation.slow_impact import calm, fast_candidates
from footfall.simulation.state import State
from footfall.world.arrays import Monitor, StateArrays
from footfall.world.world import World

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
TOUCH = 1e-5
"""Gap up to which a point takes part in an impact, [m]: the error of a predicted impact time."""
SHORTEST = 1e-12
"""Rest of a step that is not worth making, [s]."""
NEVER = 1e300
BoundTree = tuple[
    Callable[[Floats, Floats], None],
    Callable[[Floats, Floats], None],
    Floats,
    Floats,
    Callable[[float], None],
]
"""An engine's evaluation and bias, views of q and v, and the kernel that takes the result over."""
_NO_ROW, _NO_COLUMNS = np.zeros(1), np.zeros(len(COLUMNS), np.int64)


@dataclass(frozen=True, slots=True)
class StepSettings:
    """How steps are made.

    Attributes:
        time_step: [s].
        max_impact_splits: parts between impacts that one step may be split into.
        impact_order: whether impacts are resolved before contact forces (right) or after them
            (the seed's open-chain order).
        restitution_threshold: approach speed up to which an impact is taken as inelastic, [m/s].
    """

    time_step: float
    max_impact_splits: int = 4
    impact_order: Literal["before_contact", "after_contact"] = "before_contact"
    restitution_threshold: float = 1e-2


class TimeStepping:
    """Makes steps: engine, ground, contact problem, law, new state; impacts in between.

    Attributes:
        tables: of the recording; none.
        chains: what is done about closed loops.
        events: none; ``contact_status`` says what each step came to.
        inner: inner steps, evaluations and events so far: none, see ``ContinuousTime``.
        ahead: trees that have been evaluated at the state as it is, for signals.
    """

    tables: tuple[RaggedTable, ...] = ()
    events: Sequence[tuple[float, int, int, int]] = ()
    inner = (0, 0, 0)

    def __init__(
        self,
        world: World,
        state: State,
        *,
        physics: Physics,
        settings: StepSettings,
    ) -> None:
        self.world, self.settings = world, settings
        self.ahead: Ahead = {}
        law, self.impact, self.terrain = physics.contact, physics.impact, physics.terrain
        self.law = law
        self.problem = ContactProblem(world.problem)
        self.monitor = Monitor(np.zeros(5), np.zeros(15), np.zeros(13), np.zeros(240))
        self.arrays = StateArrays(
            state["q"],
            state["v"],
            state["impulse"],
            state["touching"],
            state["ledger"],
            state["joint_impulse"],
            state["nudot"],
            state["foot_wrench"],
        )
        self._needs_jdot_v = Need.JDOT_V in law.needs
        self._resolve = self._resolver(law, state)
        self.monitor.step[13] = self._leaving_speed(law)
        self.monitor.step[14] = float(_gives(law))
        rows = world.problem.impulse.size
        self._scratch = Scratch(
            np.zeros(rows), np.zeros(world.nv), np.zeros((1, 3, 3)), np.zeros((8, 3))
        )
        self._joint_rows: slice | None = None
        self._joint_row_impulse = world.joint_rows.impulse
        world.joint_rows.active[0] = int({BlockKind.UNILATERAL, BlockKind.BOX} <= law.blocks)
        law.allocate(world.n_contacts, world.n_rows)
        law.name_contacts(world.contact_names)
        self.terrain.prepare(world.sample)
        moves = Capability.MOVING_GROUND in self.terrain.capabilities
        self._moving_ground = MovingGround(self.terrain, world) if moves else None
        assert isinstance(physics.integrator, OneStep)
        self._bind(float(law.margin), float(physics.integrator.theta))

    def _resolver(self, law: ContactModel, state: State) -> Resolve:
        if isinstance(law, ImpulseLaw):
            return ResolveImpulse(law, self.problem, law_state(law, state))
        assert isinstance(law, ForceLaw)
        return ResolveForce(law, self.problem, state, self.world.dynamics.energy)

    def _leaving_speed(self, law: ContactModel) -> float:
        """Return the speed over e from which restituting points that rise stay out of a problem.

        A rigid law for forces holds the acceleration of a touching point whatever its velocity, and
        would carry a body that an impact has just thrown up: at e times the threshold at least.
        """
        throws = self.impact.acts and Capability.RESTITUTION in self.impact.capabilities
        if throws and isinstance(law, ForceLaw) and not _gives(law):
            return self.settings.restitution_threshold
        return NEVER

    def _bind(self, margin: float, theta: float) -> None:
        """Compile the kernels and bind what never moves: the table of this world's arrays."""
        world, scratch = self.world, self._scratch
        self._table = table = table_of(
            *(world.topology, world.joints, world.dynamics, world.candidates, world.ground),
            *(world.sides, world.problem, self.arrays, self.monitor, scratch, world.loops),
            *(world.pushes, world.joint_rows),
        )
        self.chains = closed_chains.stepped(world, self.arrays.ledger, table, theta)
        row, at = np.zeros(8), np.zeros(len(COLUMNS), np.int64)
        threshold = float(self.settings.restitution_threshold)
        self._prepare = bind(
            kernels.prepare, table, margin, threshold, like=(row, at, 0.0, 0.0, True)
        )
        self._complete = bind(kernels.complete, table, theta, like=(0.0,))
        if isinstance(self._resolve, ResolveForce):
            self._resolve.bind(table)
        self._finish_row = bind(kernels.finish_row, table, like=(row, at, 0.0))
        if self._needs_jdot_v:
            self._jdot_v = bind(kernels.build_jdot_v, table)
        self._trees = [self._bind_tree(i) for i, body in enumerate(world.bodies) if body.tree]
        self._free_bodies = (
            bind(kernels.settle_free_bodies, table, like=(0.0,))
            if world.topology.free.any()
            else None
        )

    @cached_property
    def _build_impact(self) -> Callable[..., None]:
        return bind(kernels.build_impact, self._table, like=(0.0, 0.0))

    @cached_property
    def _apply_impact(self) -> Callable[..., None]:
        return bind(kernels.apply_impact, self._table)

    @cached_property
    def _jump(self) -> Callable[..., None]:
        return bind(kernels.jump, self._table)

    def _bind_tree(self, index: int) -> BoundTree:
        tree = self.world.bodies[index].tree
        assert tree is not None
        evaluation = table_of(Evaluation(tree.M, tree.h, tree.S, tree.pose))
        settle = bind(kernels.settle_engine_tree, self._table, evaluation, index, like=(0.0,))
        q = self.arrays.q[self.world.q_slice(index)]
        v = self.arrays.v[self.world.v_slice(index)]
        return tree.evaluate, tree.evaluate_bias, q, v, settle

    def step(self, time: float, row: Floats, at: Ints) -> None:
        """Make one step from ``time`` and write its row of the recording."""
        dt, monitor = self.settings.time_step, self.monitor.step
        monitor[11] = NEVER
        self.evaluate(dt)
        self.chains.project(self.evaluate, dt)
        self._look(time, dt)
        self._prepare(row, at, time, dt, True)
        if monitor[8] <= dt or (monitor[9] > 0.0 and self.impact.acts):
            self._step_with_impacts(time, dt)
        else:
            self._solve(dt)
            self._complete(dt)
            self.chains.load()
        self._finish_row(row, at, dt)
        self.chains.record(row, dt)
        if self._joint_rows is not None:
            row[self._joint_rows] = self._joint_row_impulse * (self.world.joint_rows.sign / dt)

    def place(self, layout: Layout) -> None:
        """Note where in a row the parts are that only some worlds have."""
        self.chains.place(layout)
        if self.world.joint_row_names:
            self._joint_rows = layout.slice_of("joint_row_force")

    def observe(self, time: float, row: Floats | None = None, at: Ints | None = None) -> None:
        """Bring poses, gaps and energies up to date with the state, without a step.

        Write what is known of the state to a row of the recording, if one is given.
        """
        dt = self.settings.time_step
        self.evaluate(dt)
        self._look(time, dt)
        if row is None:
            row, at = _NO_ROW, _NO_COLUMNS
        self._prepare(row, at, time, dt, row is not _NO_ROW)
        if isinstance(self._resolve, ResolveForce):
            self._resolve.measure()

    def evaluate(self, dt: float) -> None:
        """Evaluate every tree at the current state: M, h, S, poses, free velocity over dt."""
        if self.ahead:
            self._evaluate_rest(dt)
        else:
            for evaluate, _, q, v, settle in self._trees:
                evaluate(q, v)
                settle(dt)
        if self._free_bodies is not None:
            self._free_bodies(dt)
        self.chains.settle(dt)

    def _evaluate_rest(self, dt: float) -> None:
        """Evaluate the trees that have not been evaluated at this state for their signals."""
        for index, (evaluate, _, q, v, settle) in enumerate(self._trees):
            if not (index in self.ahead and self.ahead[index]()):
                evaluate(q, v)
            settle(dt)
        self.ahead.clear()

    def _evaluate_bias(self, dt: float) -> None:
        """Evaluate again after a jump of the velocity, or for another dt: only h changes."""
        for _, evaluate_bias, q, v, settle in self._trees:
            evaluate_bias(q, v)
            settle(dt)
        if self._free_bodies is not None:
            self._free_bodies(dt)
        self.chains.settle(dt)

    def _sense(self, time: float, dt: float) -> None:
        """Ask the ground and build the problem of a later part of the step."""
        self._look(time, dt)
        self._prepare(_NO_ROW, _NO_COLUMNS, time, dt, False)

    def _sense_impact(self, time: float, dt: float) -> None:
        """Do the same for an impact, which lasts no time: a moving ground's velocity is then."""
        self._look(time, 0.0)
        self._prepare(_NO_ROW, _NO_COLUMNS, time, dt, False)

    def _look(self, time: float, dt: float) -> None:
        """Ask the ground what it is at the start of a step of length dt."""
        if self._moving_ground is not None:
            self._moving_ground.look(time, dt)
        else:
            self.terrain.sample(time, self.world.candidates.query, self.world.sample)

    def _solve(self, dt: float) -> None:
        if self._needs_jdot_v:
            self._jdot_v()
        self._resolve(dt)

    def _move(self, dt: float) -> None:
        """Go from the law's impulse to the new state."""
        self._complete(dt)
        self.chains.load()

    def _let_jump(self) -> None:
        """Apply the impulse of an impact."""
        self._apply_impact()
        self.chains.load()
        self.monitor.step[4] += 1.0

    def _step_with_impacts(self, time: float, dt: float) -> None:
        """Make a step in parts: up to each impact, the impact, the rest."""
        monitor, left, splits = self.monitor.step, dt, 0
        if self.impact.acts and monitor[9] > 0.0:
            if self.settings.impact_order == "after_contact":
                self._step_then_impact(time, dt)
                return
            self._model_impact(time, dt)
        while monitor[8] <= left:
            if splits >= self.settings.max_impact_splits:
                monitor[6] += 1.0
                self._collide(time + dt - left, left, TOUCH + monitor[10] * left)
                break
            if monitor[8] > 0.0:
                at = float(monitor[8])
                self._part(time + dt - left, at)
                left -= at
            splits += 1
            self._collide(time + dt - left, left, TOUCH)
        monitor[5] = splits
        if left > SHORTEST:
            self._solve(left)
            self._move(left)

    def _part(self, time: float, dt: float) -> None:
        """Move by a part of the step, up to an impact."""
        self.monitor.step[11] = self.settings.restitution_threshold
        self._evaluate_bias(dt)
        self._sense(time, dt)
        self._solve(dt)
        self._move(dt)
        self.monitor.step[11] = NEVER
        self.evaluate(dt)

    def _collide(self, time: float, left: float, touch: float) -> None:
        """Resolve the impact of points with ``gap <= touch``, with restitution.

        By the impact model, and by the law itself if no impact model acts.
        """
        self._evaluate_bias(0.0)
        self._sense_impact(time, max(left, SHORTEST))
        if not (self.world.candidates.gap <= touch).any():
            # The ground bends or moves away: where a plane would have been met there is none.
            self._look_on(time, left)
            return
        self._build_impact(float(touch), self.settings.time_step)
        if self.impact.acts:
            self.impact.resolve(self.problem)
        else:
            self._resolve(0.0)
        self._end_impact(time, left)

    def _model_impact(self, time: float, dt: float) -> None:
        """Let the impact model resolve the impact of points that newly touch."""
        self._resolve_new(time, dt)
        self._end_impact(time, dt)

    def _resolve_new(self, time: float, dt: float) -> None:
        """Find the impulse of points that newly touch; a slow impact has no restitution."""
        fast = fast_candidates(self.problem, self.settings.restitution_threshold)
        self._evaluate_bias(0.0)
        self._sense_impact(time, dt)
        self._build_impact(0.0, dt)
        calm(self.problem, fast)
        self.impact.resolve(self.problem)

    def _end_impact(self, time: float, left: float) -> None:
        """Apply the impulse and prepare the rest of the step with the new velocity."""
        self._let_jump()
        self._look_on(time, left)

    def _look_on(self, time: float, left: float) -> None:
        """Prepare the rest of the step."""
        self.monitor.step[8] = NEVER
        if left > SHORTEST:
            self._evaluate_bias(left)
            self._sense(time, left)

    def _step_then_impact(self, time: float, dt: float) -> None:
        """Use the seed's open-chain order: forces from the velocity before the impact."""
        v = self.arrays.v
        before = v.copy()
        self._resolve_new(time, dt)
        self._let_jump()
        self._scratch.change[:] = v - before
        v[:] = before
        self._evaluate_bias(dt)
        self._sense(time, dt)
        self._solve(dt)
        self._jump()
        self._move(dt)
        self._scratch.change[:] = 0.0


def _gives(law: ContactModel) -> bool:
    """Return whether points at rest are in the ground: what presses them is the law's to stop."""
    return law.rest_depth(1.0) > 0.0

"""Time stepping: engine, ground, contact problem, law, new state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from footfall.devices.signals import Ahead, Watch
from footfall.errors import SimulationError
from footfall.interfaces.contact import ContactModel, ForceLaw, ImpulseLaw, Need
from footfall.interfaces.integrator import OneStep
from footfall.interfaces.plugin import Capability, bound_call
from footfall.jit.compiling import bind
from footfall.jit.native import Cell, cell_of
from footfall.jit.stages import Stage, stage_of
from footfall.jit.tables import Table, point_at, table_of
from footfall.kernels.dynamics.point_mobility import point_mobility
from footfall.kernels.step import stages as kernels
from footfall.kernels.step.program import (
    COMMAND,
    COMPLETE,
    EVALUATE,
    FAILED,
    FINISH,
    IMPACTS,
    NOT_FINITE,
    SENSE,
    SOLVE,
    UNSOLVED,
)
from footfall.kernels.step.row import COLUMNS, write_scaled
from footfall.kernels.tables import Scratch
from footfall.problem.contact_problem import ContactProblem
from footfall.recording.layout import Layout, RaggedTable
from footfall.stepping import impacts
from footfall.stepping import loops as closed_chains
from footfall.stepping.delassus import delassus_method
from footfall.stepping.detected_contacts import COLLISIONS, Collisions
from footfall.stepping.evaluation import MovingGround, Trees, factor_of
from footfall.stepping.joint_form import choose_form, stiffen
from footfall.stepping.law import (
    Resolve,
    ResolveForce,
    ResolveImpulse,
    law_state,
)
from footfall.stepping.program import StepCells, StepProgram
from footfall.stepping.settings import Physics, StepSettings, cells
from footfall.typing import Floats, Ints
from footfall.world.arrays import (
    NEVER,
    STEP,
    Monitor,
    StateArrays,
)
from footfall.world.joint_rows import AS_SPRINGS, FORM
from footfall.world.state import State, state_arrays
from footfall.world.world import World

Mobility = Callable[[int, Floats, Floats, Floats], None]
"""Takes a global link, a point in its frame (3,), scratch (6, nv) and what it writes, (8, 6)."""


def world_table(world: World, arrays: StateArrays, monitor: Monitor, scratch: Scratch) -> Table:
    """Make the table of a world's arrays in the order of ``footfall.kernels.tables.KINDS``."""
    return table_of(
        *(world.topology, world.joints, world.dynamics, world.candidates, world.ground),
        *(world.sides, world.problem, arrays, monitor, scratch, world.loops),
        *(world.pushes, world.joint_rows, world.detected),
    )


Commands = Callable[[Cell], Sequence[Stage | None]]
_NO_ROW, _NO_COLUMNS = np.zeros(1), np.zeros(len(COLUMNS), np.int64)


class TimeStepping:
    """Makes steps: engine, ground, contact problem, law, new state; impacts in between.

    Attributes:
        tables: of the recording: that of detected contacts, if they are looked for.
        chains: what is done about closed loops.
        collisions: detected contacts; None if nothing looks for them.
        inner: inner steps, evaluations and events so far: none, see ``ContinuousTime``.
        trees: what evaluates the bodies.
        program: many steps in one call, None if a part of the step is Python; see ``compile``.
        uncompiled: that part.
        scratch: work space of the kernels.
        watch: records signals once a step's start has been evaluated, None if there are none.
        pull: what hands do once the velocity without them is known, None if nothing is held.
    """

    tables: tuple[RaggedTable, ...] = ()
    inner = (0, 0, 0)

    def __init__(
        self,
        world: World,
        state: State,
        *,
        physics: Physics,
        settings: StepSettings,
    ) -> None:
        self.world, self.settings, self._state = world, settings, state
        self.watch: Watch | None = None
        self.pull: Callable[[float], None] | None = None
        self._looped, self._records_more = bool(world.loop_names), True
        law, self.impact, self.terrain = physics.contact, physics.impact, physics.terrain
        self.law = law
        self.monitor = Monitor.zeros()
        self._flags = cells(self.monitor.step)
        self._needs_jdot_v = Need.JDOT_V in law.needs
        step, slow = self.monitor.step, settings.restitution_threshold
        step[STEP.departure_limit] = impacts.departure_speed(law, self.impact, slow)
        step[STEP.compliant] = float(impacts.is_compliant(law))
        step[STEP.located] = impacts.slowest_located(law, self.impact, settings)
        self._joint_rows: slice | None = None
        self._joint_row_impulse = world.joint_rows.impulse
        self._joint_row_scale = choose_form(world, law, self.impact) / settings.time_step
        self.collisions: Collisions | None = None
        if world.collider is not None:
            self.collisions = Collisions(world, world.collider, state, self.renew)
            self.tables = (COLLISIONS,)
        self._compiling: tuple[Ints, Commands] | None = None
        self._allocate()
        self.terrain.prepare(world.sample)
        moves = Capability.MOVING_GROUND in self.terrain.capabilities
        self._moving_ground = MovingGround(self.terrain, world) if moves else None
        assert isinstance(physics.integrator, OneStep)
        self._bind(float(law.margin), float(physics.integrator.theta))
        if world.joint_rows.active[FORM] == AS_SPRINGS:
            self.evaluate(settings.time_step)
            stiffen(world)

    def _allocate(self) -> None:
        """Make what goes with the size of the contact problem."""
        world, law, state = self.world, self.law, self._state
        self.arrays = state_arrays(state)
        self._sample = bound_call(self.terrain, "sample", world.candidates.query, world.sample)
        self.problem = ContactProblem(world.problem, factor_of(world.sides, world.topology))
        shapes = world.problem.impulse.size, world.nv, (1, 3, 3)
        self.scratch = Scratch(*(np.zeros(shape) for shape in shapes))
        if isinstance(law, ImpulseLaw) and not impacts.is_compliant(law):
            world.problem.deepest[:] = self.settings.deepest(law.correction_gain)
        law.allocate(world.n_candidates, world.n_rows)
        law.name_contacts((*world.contact_names, *([""] * world.room.contacts)))
        self._resolve = self._resolver(law, state)
        self.program: StepProgram | None = None
        self.uncompiled = ""

    def renew(self) -> None:
        """Take over arrays that have been replaced: what is bound to the table finds them there."""
        self._allocate()
        point_at(self._table, self._new_table())
        self._delassus.renew()
        if isinstance(self._resolve, ResolveForce):
            self._resolve.bind(self._table)
        if self._compiling is not None:
            self.compile(*self._compiling)

    def point_mobility(self) -> Mobility:
        """Return a kernel that finds how a point of a link moves; see ``point_mobility``."""
        like = (0, np.zeros(3), np.zeros((6, 1)), np.zeros((8, 6)))
        bound: Mobility = bind(point_mobility, self._table, like=like)
        return bound

    def _new_table(self) -> Table:
        return world_table(self.world, self.arrays, self.monitor, self.scratch)

    def _resolver(self, law: ContactModel, state: State) -> Resolve:
        if isinstance(law, ImpulseLaw):
            return ResolveImpulse(law, self.problem, law_state(law, state))
        assert isinstance(law, ForceLaw)
        return ResolveForce(law, self.problem, state, self.world.dynamics.energy)

    def _bind(self, margin: float, theta: float) -> None:
        """Compile the kernels and bind what never moves: the table of this world's arrays."""
        world = self.world
        self._table = table = self._new_table()
        self.chains = closed_chains.stepped(world, self.arrays.ledger, table, theta)
        row, at = np.zeros(8), np.zeros(len(COLUMNS), np.int64)
        threshold = float(self.settings.restitution_threshold)
        self._delassus = delassus_method(self.settings.delassus, world, table)
        more = self.collisions is not None or self._looped or world.joint_rows.impulse.size
        prepare = kernels.prepare if more else kernels.prepare_simple
        self._prepare = self._delassus.after_building(
            bind(prepare, table, margin, threshold, like=(row, at, 0.0, 0.0, True))
        )
        self._complete = bind(kernels.complete, table, theta, like=(0.0,))
        if isinstance(self._resolve, ResolveForce):
            self._resolve.bind(table)
        self._finish_row = bind(kernels.finish_row, table, like=(row, at, 0.0))
        if self.collisions is not None:
            self.collisions.bind(table)
        if self._needs_jdot_v:
            self._jdot_v = bind(kernels.build_jdot_v, table)
        self.trees = Trees(
            world,
            self.arrays,
            table,
            self._delassus.after_settling,
            accelerations=self._needs_jdot_v,
        )
        self._splitting = impacts.SplitStep(self, self.settings, table, self._delassus)

    @property
    def ahead(self) -> Ahead:
        """Trees that have been evaluated at the state as it is, for signals."""
        return self.trees.ahead

    def step(self, time: float, row: Floats, at: Ints) -> None:
        """Make one step from ``time`` and write its row of the recording.

        Commands are there already (``ControllerLoop``). Where every stage is compiled the same
        step is ``footfall.kernels.step.program.one_step``.
        """
        # What a scene has not costs a flag, not a call.
        dt, flags, looped = self.settings.time_step, self._flags, self._looped
        flags[STEP.approach_limit] = NEVER
        self.trees.evaluate(dt)
        if looped:
            self.chains.settle(dt)
            self.chains.project(self.evaluate, dt)
        if self.watch is not None:
            self.watch(row)
        if self.pull is not None:
            self.pull(dt)
        self._look(time, dt, first=True)
        self._prepare(row, at, time, dt, True)
        if flags[STEP.next_impact] <= dt or (flags[STEP.new_touches] > 0.0 and self.impact.acts):
            self._splitting.step(time, dt)
        else:
            self.solve(dt)
            self._complete(dt)
            if looped:
                self.chains.book_impulses()
        self._record(row, at, dt)

    def compile(self, at: Ints, commands: Commands) -> None:
        """Make the ``program`` of a step if every stage of it is compiled.

        Args:
            at: places of columns in a row, as ``step`` is given them.
            commands: returns the stages of controllers and drives, for the cell of the time.
        """
        self._compiling, self.program = (at, commands), None
        cells = StepCells(self._state["tick"], self.settings.time_step)
        row, time, dt = cells.row, cells.time, cells.step
        first, columns = np.ones(1, np.int64), cell_of(at)
        sense = stage_of(self._prepare, row, columns, time, dt, first)
        finish = [stage_of(self._finish_row, row, columns, dt)]
        if self._joint_rows is not None:
            impulse, scale = self._joint_row_impulse, self._joint_row_scale
            like = (np.zeros(1),)
            record = bind(write_scaled, impulse, scale, self._joint_rows.start, like=like)
            finish.append(stage_of(record, row))
        parts: tuple[tuple[int, str, Sequence[Stage | None]], ...] = (
            (EVALUATE, "the engine", self.trees.stages(dt)),
            (EVALUATE, "closed loops", [None] * self._looped),
            (SENSE, "a ground that moves", [None] * (self._moving_ground is not None)),
            (SENSE, f'terrain "{self.terrain.name}"', [stage_of(self._sample, time)]),
            (SENSE, "collision detection", [None] * (self.collisions is not None)),
            (SENSE, "the Delassus method", [sense]),
            (SOLVE, f'contact law "{self.law.name}"', self._resolve.stages(dt)),
            (SOLVE, f'contact law "{self.law.name}"', [None] * self._needs_jdot_v),
            (COMPLETE, "the new state", [stage_of(self._complete, dt)]),
            (FINISH, "the row", finish),
        )
        self.uncompiled = next((name for _, name, stages in parts if not all(stages)), "")
        if not self.uncompiled:
            commanded = commands(time)
            steps = [(phase, stage) for phase, _, stages in parts for stage in stages if stage]
            self.program = StepProgram(
                cells,
                self.monitor.step,
                [(COMMAND, stage) for stage in commanded if stage and all(commanded)] + steps,
                commands=all(commanded),
                acts=self.impact.acts,
                ahead=self.trees.ahead,
            )

    def end_step(self, ended: int, time: float, row: Floats, at: Ints) -> None:
        """End a step that the program could not end, from where it stopped."""
        dt = self.settings.time_step
        if ended == IMPACTS:
            self._splitting.step(time, dt)
        elif ended == UNSOLVED:
            self._resolve.go_on()
            self._complete(dt)
        elif ended == FAILED:
            raise SimulationError("a controller, the engine or the ground has no answer here")
        if ended != NOT_FINITE:
            self._record(row, at, dt)

    def _record(self, row: Floats, at: Ints, dt: float) -> None:
        """Write a row of the recording, the parts that only some worlds have last."""
        self._finish_row(row, at, dt)
        if not self._records_more:
            return
        self.chains.record(row, dt)
        if self._joint_rows is not None:
            np.multiply(self._joint_row_impulse, self._joint_row_scale, out=row[self._joint_rows])
        if self.collisions is not None:
            self.collisions.record(row, dt)

    def place(self, layout: Layout) -> None:
        """Note where in a row the parts are that only some worlds have."""
        self._records_more = bool(
            self._looped or self.world.joint_row_names or self.collisions is not None
        )
        self.chains.place(layout)
        if self.world.joint_row_names:
            self._joint_rows = layout.slice_of("joint_row_force")
        if self.collisions is not None:
            self.collisions.place(layout)

    def table_rows(self, table: RaggedTable, kept: bool) -> npt.NDArray[np.void]:
        """Return the rows of a table of the last step; none if its row is not kept."""
        assert self.collisions is not None
        return self.collisions.rows(self.settings.time_step) if kept else np.zeros(0, table.dtype)

    def observe(self, time: float, row: Floats | None = None, at: Ints | None = None) -> None:
        """Bring poses, gaps and energies up to date with the state, without a step.

        Write what is known of the state to a row of the recording, if one is given.
        """
        dt = self.settings.time_step
        self.evaluate(dt)
        self._look(time, dt, first=True)
        if row is None:
            row, at = _NO_ROW, _NO_COLUMNS
        self._prepare(row, at, time, dt, row is not _NO_ROW)
        if isinstance(self._resolve, ResolveForce):
            self._resolve.measure()

    def release_striking(self) -> None:
        """At the start, let what touches and approaches in an impact count as not touching yet."""
        located = float(self.monitor.step[STEP.located])
        fast = impacts.fast_candidates(self.problem, located, impacts.TOUCH)
        declared = len(self.arrays.touching)
        self.arrays.touching[fast[fast < declared]] = 0.0
        self.arrays.detected_touching[fast[fast >= declared] - declared] = 0.0

    def evaluate(self, dt: float) -> None:
        """Evaluate every tree at the current state: M, h, S, poses, free velocity over dt."""
        self.trees.evaluate(dt)
        self.chains.settle(dt)

    def evaluate_again(self, dt: float) -> None:
        """Evaluate again after a jump of the velocity, or for another dt: only h changes."""
        self.trees.evaluate_bias(dt)
        self.chains.settle(dt)

    def sense(self, time: float, dt: float, lasting: float) -> None:
        """Ask the ground and build the problem of a later part of the step, of length dt.

        An impact lasts no time: a moving ground's velocity is then that of the instant.
        """
        self._look(time, lasting, first=False)
        self._prepare(_NO_ROW, _NO_COLUMNS, time, dt, False)

    def _look(self, time: float, dt: float, *, first: bool) -> None:
        """Ask the ground what it is at the start of a step of length dt, or of a later part."""
        if self._moving_ground is not None:
            self._moving_ground.look(time, dt)
        else:
            self._sample(time)
        if self.collisions is not None:
            self.collisions.look(first)

    def solve(self, dt: float) -> None:
        """Let the law answer to the problem of a step of length dt."""
        if self._needs_jdot_v:
            self._jdot_v()
        self._resolve(dt)

    def solve_impact(self) -> None:
        """Let the impact model answer to an impulsive problem; the law itself if none acts."""
        if self.impact.acts:
            self.impact.resolve(self.problem)
        else:
            self._resolve(0.0)

    def move(self, dt: float) -> None:
        """Go from the law's impulse to the new state."""
        self._complete(dt)
        self.chains.book_impulses()

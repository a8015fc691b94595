"""Time stepping: engine, ground, contact problem, law, new state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.interfaces.contact import SPARSE, ForceLaw, ImpulseLaw, Need
from footfall.interfaces.integrator import OneStep
from footfall.interfaces.plugin import Capability, bound_call
from footfall.jit.compiling import bind
from footfall.jit.native import Cell
from footfall.jit.stages import LateStage, Stage
from footfall.jit.tables import Table, point_at, table_of
from footfall.problem.arrays import ProblemSize
from footfall.problem.contact_problem import ContactProblem
from footfall.recording.layout import Layout, RaggedTable
from footfall.recording.variables import Column, first_entries
from footfall.typing import Floats, Ints
from footfall_stepper.devices.signals import Ahead
from footfall_stepper.kernels.dynamics.point_mobility import point_mobility
from footfall_stepper.kernels.step import stages as kernels
from footfall_stepper.kernels.step.halfway import go_halfway, take_back_velocity
from footfall_stepper.kernels.step.impacts import drop, is_open, mark
from footfall_stepper.kernels.step.program import Choice, Phase
from footfall_stepper.kernels.step.row import write_scaled
from footfall_stepper.kernels.tables import Scratch
from footfall_stepper.stepping.detected_contacts import COLLISIONS, Collisions
from footfall_stepper.stepping.evaluation import MovingGround, Trees, delassus_method, factor_of
from footfall_stepper.stepping.first_call import FirstCall, inputs_of
from footfall_stepper.stepping.joint_form import choose_form, stiffen
from footfall_stepper.stepping.law import (
    ResolveForce,
    ResolveImpulse,
    departure_speed,
    is_compliant,
    law_state,
    record_stages,
    slowest_located,
    unsplit,
)
from footfall_stepper.stepping.loops import NoLoops, SteppedLoops
from footfall_stepper.stepping.program import Part, StepProgram
from footfall_stepper.stepping.settings import Physics, StepSettings
from footfall_stepper.stepping.swept_contacts import Missed, SweptContacts
from footfall_stepper.world.joint_rows import JointRowForm, JointRowUse
from footfall_stepper.world.state import State, own_parts, state_arrays
from footfall_stepper.world.step_arrays import CLOSED, NEVER, Monitor, StateArrays, StepFigure
from footfall_stepper.world.world import World

SEVERAL_BODIES = 4
"""Number of bodies from which impact kernels load at start; later loading costs 35 ms."""
Mobility = Callable[[int, Floats, Floats, Floats], None]
"""Called with a global link, a point in its frame (3,), scratch (6, nv) and the output, (8, 6)."""


def world_table(world: World, arrays: StateArrays, monitor: Monitor, scratch: Scratch) -> Table:
    """Make the table of a world's arrays in the order of ``kernels.tables.KINDS``."""
    return table_of(
        *(world.topology, world.joints, world.dynamics, world.candidates, world.ground),
        *(world.sides, world.problem, arrays, monitor, scratch, world.loops),
        *(world.pushes, world.joint_rows, world.detected),
    )


Kept = tuple[npt.NDArray[np.void], Ints]
"""Rows of a table over successive steps, and their number up to the end of each step."""
WRITTEN_LATER = ("problem.W", "problem.pending", "problem.in_product", "problem.rest")
"""Inputs of a law that the step writes while the law runs, see ``complete_matrix``."""
Parts = Callable[[StepProgram], Sequence[Part]]
"""Builds the stages added to each step: controllers, pushes, hands, sensors."""


class TimeStepping:
    """Makes steps: engine, ground, contact problem, law, new state; impacts in between.

    Attributes:
        law: finds the impulses of contacts; scheme: moves positions.
        guest: another simulator that makes the steps; None: the law's impulses make them.
        tables: of the recording: that of detected contacts, if there is a detector.
        chains: the treatment of closed loops.
        collisions: detected contacts; None without a detector.
        inner: inner steps, evaluations and events so far: always zero, see ``ContinuousTime``.
        trees: the evaluation of the bodies.
        program: one or many steps in one call; see ``compile``.
        scratch: work space of the kernels.
        pull: applies hands after the velocity without them is known, None if nothing is held.
        watch: called in each part of a step, see ``use_watch``; None if not watched.
    """

    tables: tuple[RaggedTable, ...] = ()
    inner = (0, 0, 0)
    program: StepProgram

    def __init__(
        self,
        world: World,
        state: State,
        *,
        physics: Physics,
        settings: StepSettings,
    ) -> None:
        self.world, self.settings, self._state = world, settings, state
        self.pull: Callable[[float], None] | None = None
        self.watch: Callable[[str], None] | None = None
        self._programs: dict[bool, StepProgram] = {}
        self._looped = bool(world.loop_names)
        law, self.impact, self.terrain = physics.contact, physics.impact, physics.terrain
        self.law, self.guest = law, physics.guest
        self.monitor = Monitor.zeros()
        self._needs_jdot_v = Need.JDOT_V in law.needs
        step, slow = self.monitor.step, settings.restitution_threshold
        step[StepFigure.DEPARTURE_LIMIT] = departure_speed(law, self.impact, slow)
        step[StepFigure.COMPLIANT] = float(is_compliant(law))
        step[StepFigure.LOCATED] = slowest_located(law, self.impact, settings)
        self._joint_row_scale = choose_form(world, law, self.impact) / settings.time_step
        self._also_written: list[tuple[Floats, Floats, int]] = []
        self.collisions: Collisions | None = None
        if world.collider is not None:
            self.collisions = Collisions(world, world.collider, state, self.renew)
            self.tables = (COLLISIONS,)
        cause = unsplit(law, self.impact, settings)
        self._swept = SweptContacts(world, self.terrain, settings, self.monitor, cause)
        self._beside: Sequence[Part] = ()
        self._change, self._matrix = np.zeros(world.nv), LateStage()
        self._allocate()
        self.terrain.prepare(world.sample)
        assert isinstance(physics.integrator, OneStep)
        self.scheme = physics.integrator
        self._bind(float(law.margin), float(self.scheme.theta))

    def _allocate(self) -> None:
        """Allocate the arrays whose size depends on the contact problem."""
        world, law, state = self.world, self.law, self._state
        self.arrays = state_arrays(state)
        factor = factor_of(world.sides, world.topology)
        self.problem = ContactProblem(world.problem, factor, self._matrix)
        # An impact may be in progress: its change of the velocity must not move.
        self.scratch = Scratch.zeros(world.problem, self._change, world.n_candidates)
        if isinstance(law, ImpulseLaw) and not is_compliant(law):
            world.problem.deepest[:] = self.settings.deepest(law.correction_gain)
            world.candidates.lowered[:] = 1.0
        world.problem.rest[:], self._matrix.cell = self._matrix.cell, world.problem.rest
        law.allocate(world.n_candidates, world.n_rows)
        law.name_contacts((*world.contact_names, *([""] * world.room.contacts)))
        self._resolve: ResolveImpulse | ResolveForce
        if self.guest is not None:
            self.guest.connect(self.arrays.q, self.arrays.v)
        if isinstance(law, ImpulseLaw):
            self._resolve = ResolveImpulse(law, self.problem, law_state(law, state))
        else:
            assert isinstance(law, ForceLaw)
            self._resolve = ResolveForce(law, self.problem, state, world.dynamics.energy)

    def renew(self) -> None:
        """Use the new arrays after some were replaced: the kernels' table finds them there."""
        self._allocate()
        point_at(self._table, self._new_table())
        self._delassus.renew()
        self.program.renew(self._parts(self.program))
        self._programs = {self.watch is not None: self.program}

    def point_mobility(self) -> Mobility:
        """Return a kernel for the motion of a point of a link; see ``point_mobility``."""
        like = (0, np.zeros(3), np.zeros((6, 1)), np.zeros((8, 6)))
        bound: Mobility = bind(point_mobility, self._table, like=like)
        return bound

    def _new_table(self) -> Table:
        return world_table(self.world, self.arrays, self.monitor, self.scratch)

    def _bind(self, margin: float, theta: float) -> None:
        """Compile the kernels and bind them to the table of this world's arrays (never moves)."""
        world = self.world
        self._table = table = self._new_table()
        self.chains = SteppedLoops(world, table, theta) if self._looped else NoLoops()
        row, at = np.zeros(8), np.zeros(len(Column), np.int64)
        threshold = float(self.settings.restitution_threshold)
        self._delassus = delassus_method(self.settings.delassus, table)
        like = row, at, 0.0, 0.0, True
        self._prepare = bind(kernels.prepare, table, margin, threshold, like=like)
        assemble = bind(kernels.assemble, table, self._whole_rows())
        self._matrix.bind(assemble, kernels.write_matrix, table)
        self._assemble = self._delassus.after_building(assemble)
        complete = kernels.complete_from_middle if self.scheme.by_middle else kernels.complete
        self._judge, flight = bind(kernels.judge, table), LateStage()
        self._complete = bind(complete, table, flight.cell, theta, like=(0.0,))
        flight.bind(self._complete, kernels.complete_flight, table, self.scheme.by_middle)
        self._finish_row = bind(
            kernels.finish_row, table, self.scheme.by_middle, like=(row, at, 0.0)
        )
        self._swept.bind(table)
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

    def _whole_rows(self) -> float:
        """Return the number of rows up to which steps write the whole Delassus matrix.

        Always a float: kernels are compiled for each kind of number.
        """
        if self.world.topology.closed.any() or self.settings.delassus != SPARSE:
            return NEVER
        return float(min(self.law.whole_matrix_rows, NEVER))

    @property
    def table(self) -> Table:
        """Table of the world's arrays."""
        return self._table

    @property
    def ahead(self) -> Ahead:
        """Trees already evaluated at the present state, for signals."""
        return self.trees.ahead

    @property
    def missed(self) -> list[Missed]:
        """Impacts of fast bodies that no step has resolved."""
        return self._swept.missed

    def compile(self, at: Ints, beside: Parts) -> None:
        """Build the ``program`` of a step: its stages, by address if they are compiled.

        Args:
            at: first columns of variables in a row.
            beside: builds the stages added to each step.
        """
        arrays = own_parts(self._state)["tick"], self.monitor.step, self.arrays.v, self._change
        program = StepProgram(self.settings, at, self.ahead, *arrays)
        self._beside = beside(program)
        choice, settings = program.choice, self.settings
        choice[Choice.ACTS], choice[Choice.MOST] = int(self.impact.acts), settings.max_impact_splits
        choice[Choice.FOLLOWS] = int(settings.impact_order == "after_contact")
        program.begin(self._parts(program))
        if self.collisions is not None and len(self.world.bodies) >= SEVERAL_BODIES:
            program.load()
        if (watched := self.watch is not None) in self._programs:
            self._programs.clear()
        self._programs[watched] = self.program = program
        rows = self.world.joint_rows
        if rows.active[JointRowUse.FORM] == JointRowForm.AS_SPRINGS and not rows.stiffness.any():
            self.evaluate(settings.time_step)
            stiffen(self.world)

    def use_watch(self, watch: Callable[[str], None] | None) -> bool:
        """Set ``watch``; return whether the program for it is already there."""
        self.watch = watch
        found = self._programs.get(watch is not None)
        if found is not None:
            self.program = found
        return found is not None

    def _observed(self, what: str) -> None:
        if self.watch is not None:
            self.watch(what)

    def _parts(self, program: StepProgram) -> list[Part]:
        """Return the stages of a step; for their order see ``kernels.step.program``."""
        law, ground = f'contact law "{self.law.name}"', f'terrain "{self.terrain.name}"'
        inputs = {"points": self.world.candidates.query, "q": self.arrays.q, "v": self.arrays.v}
        elsewhere: list[Stage] = []
        settled = self.trees.settled(program)
        evaluated = [*self.trees.stages(program), *settled]
        row, part, at = program.row, program.part, program.columns
        sensed = program.stage(self._prepare, row, at, program.time, part, program.first)
        solved = struck = self._resolve.stages(program, self._table)
        more = [program.stage(self.law.go_on)]
        if self.guest is not None:
            law, made = f'simulator "{self.guest.name}"', self.guest
            freed = bind(kernels.take_back_impulse, self._table, made.v_new)
            solved = [*solved, program.stage(freed)]
            for values, into in (made.q, self.arrays.q), (made.v, self.arrays.v):
                taken = bind(write_scaled, values, np.ones(len(values)), 0, into)
                elsewhere.append(program.stage(taken))
        else:
            own, rows = inputs_of(self.problem), self.problem.arrays.size[ProblemSize.ROWS :]
            if self._whole_rows() < NEVER:  # then the law may ask for the rest of the matrix
                own = {name: own[name] for name in own if name not in WRITTEN_LATER}
            solved = FirstCall(law, own, self._resolve.written, rows).around(solved)
        biased = [program.stage(self._jdot_v)] if self._needs_jdot_v else []
        found = [self.collisions] if self.collisions is not None else []
        looks = [collisions.look_stage(program) for collisions in found]
        surfaces = [s for each in found for s in each.surface_stages(program, self._table)]
        recorded = [stage for each in found for stage in each.record_stages(program)]
        parts: list[Part] = [
            *self._beside,
            (Phase.EVALUATE, "the engine", evaluated),
            (Phase.BIAS, "the engine", self.trees.stages(program, bias=True)),
            (Phase.SETTLE, "the engine", settled),
            (Phase.SENSE, ground, FirstCall(ground, inputs).around([self._ground(program)])),
            (Phase.SENSE, "collision detection", looks),
            (Phase.SENSE, "surfaces", surfaces),
            (Phase.SENSE, "contacts", [sensed]),
            (Phase.ASSEMBLE, "the Delassus method", [program.stage(self._assemble)]),
            (Phase.SOLVE, law, [*biased, *solved]),
            (Phase.GO_ON, law, more),
            (Phase.COMPLETE, "the new state", [program.stage(self._judge)]),
            (Phase.COMPLETE, "the new state", [program.stage(self._complete, part), *elsewhere]),
            *([] if self.guest else self._swept.parts(program)),
            *self._impact_parts(program, struck, more),
            (Phase.FINISH, "the row", [program.stage(self._finish_row, row, at, part)]),
            (Phase.FINISH, "collision detection", recorded),
        ]
        if self.scheme.by_middle:
            go = program.stage(bind(go_halfway, self._table, like=(0.0,)), program.part)
            back = program.stage(bind(take_back_velocity, self._table))
            parts.append((Phase.HALFWAY, "the engine", [go, *evaluated, back]))
        for also in self._also_written:
            write = bind(write_scaled, *also, like=(np.zeros(1),))
            parts.append((Phase.FINISH, "the row", [program.stage(write, row)]))
        written = [*record_stages(self.law, self._state, self._layout, program)]
        if self.watch is not None:
            seen = [(Phase.SENSE, "sensed"), (Phase.COMPLETE, "moved"), (Phase.APPLY, "struck")]
            seen += [(Phase.HALFWAY, "halfway")] if self.scheme.by_middle else []
            for phase, what in seen:
                watched = program.stage(partial(self._observed, what))
                parts.append((phase, "a watch", [watched]))
        return [*parts, (Phase.BEFORE, law, written), *self.chains.stages(program)]

    def _impact_parts(
        self, program: StepProgram, solved: list[Stage], more: list[Stage]
    ) -> list[Part]:
        """Return the stages of impacts.

        Args:
            program: the program of the step.
            solved: stages of the law, which resolves impacts where no model does.
            more: the same, for problems that these leave unsolved.
        """
        if self.impact.acts:
            resolved = partial(bound_call, self.impact, "resolve", self.problem)
            first = FirstCall(f'impact model "{self.impact.name}"', inputs_of(self.problem))
            solved = first.around([program.late(resolved)])
            more = [program.stage(self.impact.go_on)]
        cut = [program.late(partial(self.impact.cut, self.problem))] if self.impact.cuts else []
        marked = self._late(program, mark, program.threshold, program.touch)
        built = self._late(program, kernels.build_impact, program.touch, program.length)
        method, assemble = self._delassus.after_building, partial(bind, kernels.assemble)
        assembled = program.late(lambda: method(assemble(self._table, NEVER)))
        return [
            (Phase.MARK, "impacts", [marked]),
            (Phase.BUILD, "impacts", [self._late(program, is_open, program.touch)]),
            (Phase.BUILD, "impacts", [built, assembled]),
            (Phase.DROP, "impacts", [self._late(program, drop)]),
            (Phase.RESOLVE, "impacts", solved),
            (Phase.RESOLVE_ON, "impacts", more),
            (Phase.CUT, "impacts", cut),
            (Phase.APPLY, "impacts", [program.stage(self._judge)]),
            (Phase.APPLY, "impacts", [self._late(program, kernels.apply_impact)]),
            (Phase.JUMP, "impacts", [self._late(program, kernels.jump)]),
        ]

    def _ground(self, program: StepProgram) -> Stage:
        """Return the stage that queries the ground."""
        if Capability.MOVING_GROUND in self.terrain.capabilities:
            ground = MovingGround(self.terrain, self.world)
            return program.stage(ground.bound or ground.look, program.time, program.lasting)
        sample = bound_call(self.terrain, "sample", self.world.candidates.query, self.world.sample)
        return program.stage(sample, program.time)

    def _late(self, program: StepProgram, kernel: Callable[..., Any], *cells: Cell) -> Stage:
        """Return the stage of a kernel of the world's table that is compiled when needed."""
        like = (0.0,) * len(cells)
        return program.late(partial(bind, kernel, self._table, like=like), *cells)

    def place(self, layout: Layout) -> None:
        """Store the columns of parts of the row that only some worlds have."""
        self.chains.place(layout)
        self._layout = layout
        joint_rows, moment, also = self.world.joint_rows, self.world.candidates.moment, []
        at = first_entries(layout)
        if len(joint_rows.impulse):
            place = int(at[Column.JOINT_ROW_FORCE])
            also.append((joint_rows.impulse, self._joint_row_scale, place))
        if len(moment):
            place = int(at[Column.CONTACT_MOMENT])
            also.append((moment.reshape(-1), np.ones(moment.size), place))
        self._also_written = also
        if self.collisions is not None:
            self.collisions.place(layout)

    def keep(self, steps: int) -> None:
        """Keep the rows of the recording's tables of the next ``steps`` steps; 0: keep none."""
        if self.collisions is not None:
            self.collisions.keep(steps)

    def kept(self, table: RaggedTable, steps: int) -> Kept:
        """Return a table's rows of ``steps`` steps since ``keep``, and stop keeping them."""
        assert self.collisions is not None
        return self.collisions.kept(steps)

    def table_rows(self) -> npt.NDArray[np.void]:
        """Return the rows of the recording's table of the last step."""
        assert self.collisions is not None
        return self.collisions.rows(self.settings.time_step)

    def observe(self, time: float, row: Floats | None = None, at: Ints | None = None) -> None:
        """Update poses, gaps and energies from the state, without a step.

        Write the values known for the state to a row of the recording, if one is given.
        """
        program, dt = self.program, self.settings.time_step
        before = program.time[0] if row is None else time
        self.evaluate(dt)
        program.time[0], program.lasting[0], program.first[0] = time, dt, int(row is not None)
        # Without a row of the caller's: the next row may lie behind the block of rows.
        program.point(np.zeros((1, program.width)) if row is None else row.reshape(1, -1), 0)
        program.run(Phase.SENSE)
        program.run(Phase.ASSEMBLE)
        program.time[0] = before  # forces stay those of the last step
        if isinstance(self._resolve, ResolveForce):
            self._resolve.measure()

    def release_striking(self) -> None:
        """Mark points that touch and approach in an impact at the start as not touching yet."""
        located = float(self.monitor.step[StepFigure.LOCATED])
        closed = CLOSED * self.settings.metre
        if located == NEVER or not (self.problem.gap <= closed).any():
            return
        bind(mark, self._table, like=(0.0, 0.0))(located, closed)
        fast = np.flatnonzero(self.scratch.fast)
        declared = len(self.arrays.touching)
        self.arrays.touching[fast[fast < declared]] = 0.0
        self.arrays.detected_touching[fast[fast >= declared] - declared] = 0.0

    def evaluate(self, dt: float) -> None:
        """Evaluate every tree at the current state: M, h, S, poses, free velocity over dt."""
        self._run(Phase.EVALUATE, dt)

    def settle(self, dt: float) -> None:
        """Find the free velocities over dt again, after a change of forces or for another dt."""
        self._run(Phase.SETTLE, dt)

    def _run(self, phase: int, dt: float) -> None:
        self.program.part[0] = dt
        self.program.run(phase)

"""Detected contacts from step to step: detected, matched by their keys, given room, recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import PluginError, SimulationError
from footfall.jit.compiling import bind
from footfall.jit.stages import Callback, LateStage, Stage, bind_calling, stage_of
from footfall.jit.tables import Table, point_at, table_of
from footfall.recording.layout import Layout, RaggedTable, Variable
from footfall.recording.variables import STATUS_FLAGS, Column, first_entries
from footfall.typing import Floats, Ints
from footfall_stepper.kernels.contact.match import (
    Match,
    collision_wrenches,
    keep_rows,
    look,
    with_room,
)
from footfall_stepper.kernels.dynamics.prescribed import move_surfaces
from footfall_stepper.stepping.program import StepProgram
from footfall_stepper.world.collider import Collider, found_rows
from footfall_stepper.world.collision_arrays import (
    RECORD_WORDS,
    KeptRows,
    KnownContacts,
    Look,
    Room,
)
from footfall_stepper.world.state import State, own_numbers, own_parts
from footfall_stepper.world.world import World

_NONE = np.zeros((0, 2), np.int64)


def known_contacts(
    world: World, state: State, pose: Floats, gone: Floats, count: Ints, entered: Ints
) -> KnownContacts:
    """Return the arrays for a world and a state that have the same room.

    Args:
        world: with a collider.
        state: its vector of growing parts is carried from look to look.
        pose: of the last look, (links, 12).
        gone: rows of contacts that have disappeared, (capacity, RECORD_WORDS).
        count: number of these rows, (1,).
        entered: number of contacts in the world's arrays, (1,).
    """
    room, trees = world.room.contacts, len(world.topology.free)
    parts = [part for part in state.parts if part.grows and part.name != "detected_key"]
    # A problem always has room for these.
    always = np.concatenate([world.candidates.link, world.joint_rows.link])
    return KnownContacts(
        known=own_parts(state)["detected"].view(np.int64),
        key=own_parts(state)["detected_key"].view(np.int64),
        grown=own_numbers(state)[1],
        start=np.array([_start(state, part.name, part.shape[0]) for part in parts], np.int64),
        width=np.array([int(np.prod(part.shape[1:])) for part in parts], np.int64),
        entered=np.zeros(room, np.int64),
        entered_count=entered,
        old=np.zeros(max(state.grown.size, 3 * room)),
        place=np.zeros(room, np.int64),
        room=np.array(world.room, np.int64),
        need=np.zeros(3, np.int64),
        always=np.bincount(world.topology.link_tree[always], minlength=trees),
        pushed=np.zeros(trees, np.int64),
        pose=pose,
        gone=gone,
        gone_bits=gone.view(np.int64),
        gone_count=count,
    )


def _start(state: State, name: str, declared: int) -> int:
    """Return the start of a part's rows of detected contacts in the vector of growing parts."""
    rows = state[name][declared:]
    return (rows.ctypes.data - state.grown.ctypes.data) // rows.itemsize


_AXIS = ("axis",), (3,)
COLLISIONS = RaggedTable(
    "collisions",
    (
        Variable("key", dtype="int64", long_name="identity of the contact: shapes and feature"),
        Variable("body_1", dtype="int64", long_name="body 1 by its place along body, -1: fixed"),
        Variable("body_2", dtype="int64", long_name="body 2 by its place along body"),
        Variable("position", *_AXIS, "m", "contact point at the start of the step, world frame"),
        Variable("normal", *_AXIS, "1", "from body 1 to body 2, world frame"),
        Variable("gap", units="m", long_name="distance at the start of the step"),
        Variable("force", *_AXIS, "N", "mean force on body 2 over the step, world frame"),
        Variable("status", dtype="int8", long_name="state of the contact", attributes=STATUS_FLAGS),
        Variable("friction", units="1", long_name="coefficient of friction of the pair"),
    ),
)
"""Contacts that are closed or carried a force. In a step that is split at impacts, position, normal
and gap belong to the last part that found the contact."""


class Collisions:
    """Detects contacts and keeps the data of each of them.

    A contact found in the last look keeps its warm start and its other data in the state. A new
    contact starts from zero; a contact that has disappeared is forgotten. If room runs out, more
    than is needed is allocated, so that this happens rarely. Kernels do everything else
    (``kernels.contact.match``).

    Attributes:
        table: of ``KnownContacts`` and ``Coefficients``.
        coefficients: those of shapes and of pairs of bodies.
        entered: shape (1,), number of contacts whose coefficients the world's arrays hold; -1
            makes the next look enter all of them again.

    Args:
        world: with a collider.
        state: of the simulation.
        moved: called when arrays of world and state have been replaced.
    """

    def __init__(
        self, world: World, collider: Collider, state: State, moved: Callable[[], None]
    ) -> None:
        self._world, self._collider, self._state, self._moved = world, collider, state, moved
        self.coefficients = collider.coefficients()
        self._poses = np.full_like(world.dynamics.pose, np.nan)
        self._gone, self._gone_count = np.zeros((8, RECORD_WORDS)), np.zeros(1, np.int64)
        self.entered, self._fixed = np.full(1, -1), False
        found = collider.detector.found
        self._found, self._version = table_of(found_rows(found)), found.version
        self._span, self._pairs = world.room.span, world.room.pairs
        self._wrenches = self._base = 0
        self.table = self._new_table()
        state.moved = self._reserved

    @property
    def counted(self) -> Ints:
        """Their number, shape (1,), part of the state."""
        return self._state["detected"].view(np.int64)

    @property
    def count(self) -> int:
        """Number of contacts."""
        return int(self.counted[0])

    @property
    def keys(self) -> Ints:
        """Their keys, ascending, shape (count,)."""
        return self._state["detected_key"].view(np.int64)[: self.count]

    def _new_table(self) -> Table:
        """Allocate the arrays for the present room, and build their table."""
        self.entered[0], kept = -1, (self._poses, self._gone, self._gone_count, self.entered)
        self._known = known_contacts(self._world, self._state, *kept)
        return table_of(self._known, self.coefficients)

    def _renew(self) -> None:
        point_at(self.table, self._new_table())

    def bind(self, table: Table) -> None:
        """Bind the kernels to the table of the world's arrays."""
        mine, row, at = self.table, np.zeros(8), 0
        self._sum_up = bind(collision_wrenches, table, mine, like=(row, at, at, 0.0))
        bound = self._collider.detector.bound(self._world.dynamics.pose)
        kernel = None if bound is None else stage_of(bound)
        detects = kernel or Callback(self._detect).stage, _rare(self._detect)
        self._asked, fixed = Look(_NONE, np.full(1, -1), np.zeros(1, np.int64)), (table, mine)
        like, found = (False,), (*fixed, self._found)
        self._look = bind_calling(look, self._asked, *detects, fixed=found, like=like)
        row = np.zeros((256, RECORD_WORDS))
        self._kept = KeptRows(row, row.view(np.int64), np.zeros(1, np.int64), np.full(2, -1))
        self._kept_table = table_of(self._kept)
        self._keep = bind(keep_rows, self._kept_table, *fixed, like=(0.0,))

    def look_stage(self, program: StepProgram) -> Stage:
        """Return the stage that finds the contacts at the links' present poses."""
        return self._with_room(program, program.stage(self._look, program.first), self._enlarge)

    def surface_stages(self, program: StepProgram, table: Table) -> list[Stage]:
        """Return the stage that writes the velocities of the shapes' surfaces, if they have any."""
        if self._world.surfaces is None:
            return []
        fixed = table, self.table, table_of(self._world.surfaces)
        return [program.stage(bind(move_surfaces, *fixed, like=(0.0,)), program.lasting)]

    def _with_room(self, program: StepProgram, stage: Stage, enlarge: Callable[[], None]) -> Stage:
        calls = stage, _rare(enlarge)
        return program.stage(bind_calling(with_room, self._asked, *calls, like=()))

    def _detect(self) -> int:
        """Run the detector, and return the number of contacts."""
        detector = self._collider.detector
        detector.detect(self._world.dynamics.pose)
        if detector.found.version != self._version:
            self._version = detector.found.version
            point_at(self._found, table_of(found_rows(detector.found)))
        return int(detector.found.n)

    def _enlarge(self) -> None:
        """Enlarge the arrays that are too small.

        Raises:
            PluginError: if the detector's keys are not in order.
            SimulationError: if the room is fixed.
        """
        answer = self._asked.answer[0]
        if answer == Match.BAD_KEYS:
            raise PluginError("the collision detector's keys are not unique and ascending")
        if answer == Match.NO_ROOM:
            need = Room(*self._known.need.tolist())
            if self._fixed:
                told = f"{need.contacts} contacts found, room for {self._state.room} (contacts)"
                raise SimulationError(told)
            contacts, self._span, self._pairs = self._world.room.stretched(need)
            self._state.reserve(contacts)
            return
        kept = self._gone
        self._gone = np.zeros((2 * (len(kept) + self.count), RECORD_WORDS))
        self._gone[: len(kept)] = kept
        self._renew()

    def fix_room(self, contacts: int) -> None:
        """Reserve fixed room for ``contacts`` contacts of any kind; more of them raise an error."""
        self._span = 2 * contacts * int(np.diff(self._world.topology.span_start).max())
        self._pairs = 2 * (contacts + int(self._known.always.sum())) ** 2
        self._fixed = True
        self._state.reserve(contacts)

    @property
    def scratch(self) -> list[npt.NDArray[Any]]:
        """Arrays that looks overwrite, and that no step needs from the step before."""
        found = found_rows(self._collider.detector.found)
        return [*self._known, *found, *self._world.detected]

    def _reserved(self) -> None:
        """Set the world's room to that of the state, e.g. after a restore."""
        world, state = self._world, self._state
        before, count = world.detected, min(self.count, len(world.detected.link), state.room)
        world.reserve(Room(state.room, self._span, self._pairs))
        for old, new in zip(before, world.detected, strict=True):  # some may be gone in this look
            new[:count] = old[:count]
        self._renew()
        self._moved()

    def set_friction(self, friction: Mapping[int, float]) -> None:
        """Set the coefficients of friction of shapes by their numbers, [-]."""
        for number, value in friction.items():
            self.coefficients.side[number, 0] = value
        self.entered[0] = -1

    def set_pair_friction(self, one: str, other: str, friction: float) -> None:
        """Set the coefficient of friction of a pair of bodies with coefficients of its own, [-]."""
        for k, pair in enumerate(self._collider.pairs):
            if set(pair) == {one, other}:
                self.coefficients.value[k, 0] = friction
        self.entered[0] = -1

    def place(self, layout: Layout) -> None:
        """Store the columns of the forces by body in a row."""
        at = first_entries(layout)
        self._wrenches, self._base = at[Column.COLLISION_WRENCH], at[Column.BASE_POSITION]

    def record_stages(self, program: StepProgram) -> list[Stage]:
        """Return the stages that write mean force and moment on every body, and keep rows."""
        places = np.array([self._wrenches]), np.array([self._base])
        summed = program.stage(self._sum_up, program.row, *places, program.part)
        keep = program.stage(self._keep, program.part)
        return [summed, self._with_room(program, keep, self._enlarge_kept)]

    def keep(self, steps: int) -> None:
        """Keep the rows of the recording's table of the next ``steps`` steps; 0: keep none."""
        if steps > len(self._kept.end):
            self._replace_kept(end=np.zeros(steps, np.int64))
        self._kept.made[:] = 0 if steps else -1, 0

    def kept(self, steps: int) -> tuple[npt.NDArray[np.void], Ints]:
        """Return the rows of ``steps`` steps since ``keep``, and the number up to each step's end.

        Then stop keeping rows. The returned arrays are valid until rows are kept again.
        """
        made = min(steps, int(self._kept.made[0]))
        self._kept.made[0] = -1
        ends = self._kept.end[: max(0, made)]
        rows = self._kept.row.reshape(-1).view(COLLISIONS.dtype)
        return rows[: ends[-1] if len(ends) else 0], ends

    def rows(self, dt: float) -> npt.NDArray[np.void]:
        """Return the rows of the recording's table for the last step of length dt.

        Rows that are being kept for a recording stay.
        """
        made, end = self._kept.made.copy(), self._kept.end[:1].copy()
        first = max(0, int(made[1]))
        self._kept.made[:] = 0, first
        while self._keep(dt) != Match.DONE:
            self._enlarge_kept()
        last = int(self._kept.made[1])
        self._kept.made[:], self._kept.end[:1] = made, end
        return self._kept.row.reshape(-1).view(COLLISIONS.dtype)[first:last]

    def _enlarge_kept(self) -> None:
        row = np.zeros((2 * len(self._kept.row) + self.count, RECORD_WORDS))
        row[: len(self._kept.row)] = self._kept.row
        self._replace_kept(row=row, bits=row.view(np.int64))

    def _replace_kept(self, **arrays: Any) -> None:
        self._kept = self._kept._replace(**arrays)
        point_at(self._kept_table, table_of(self._kept))


def _rare(function: Callable[[], int | None]) -> Stage:
    """Return a stage in Python that few steps need."""
    made = LateStage()
    made.make(lambda: function)
    return made.stage

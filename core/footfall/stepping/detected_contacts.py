"""Detected contacts from step to step: found anew, matched by their keys, given room, recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import PluginError
from footfall.jit.compiling import bind
from footfall.jit.stages import Stage
from footfall.jit.tables import Table, point_at, table_of
from footfall.kernels.contact.match import (
    BAD_KEYS,
    DONE,
    NO_ROOM,
    collision_wrenches,
    same_poses,
    take_over,
    write_rows,
)
from footfall.recording.layout import Layout, RaggedTable, Variable
from footfall.recording.variables import CONTACT_STATUS
from footfall.stepping.program import StepProgram
from footfall.typing import Floats, Ints
from footfall.world.collider import Collider, found_rows
from footfall.world.collision_arrays import RECORD_WORDS, FoundRows, KnownContacts, Room
from footfall.world.state import State
from footfall.world.world import World

_NO_KEYS = np.zeros(0, np.int64)
_NOTHING_FOUND = table_of(
    FoundRows(
        _NO_KEYS,
        _NO_KEYS,
        _NO_KEYS,
        _NO_KEYS,
        _NO_KEYS,
        np.zeros((0, 3)),
        np.zeros((0, 3)),
        np.zeros(0),
    )
)
"""A table of the type of what detectors find."""


def known_contacts(
    world: World, state: State, pose: Floats, gone: Floats, count: Ints
) -> KnownContacts:
    """Return the arrays for a world and a state that have the same room.

    Args:
        world: with a collider.
        state: whose vector of what grows is carried from look to look.
        pose: of the last look, (links, 12).
        gone: rows of contacts that have gone, (capacity, RECORD_WORDS).
        count: number of these, (1,).
    """
    room, trees = world.room.contacts, len(world.topology.free)
    parts = [part for part in state.parts if part.grows and part.name != "detected_key"]
    row = np.zeros((room + len(gone), RECORD_WORDS))
    return KnownContacts(
        known=state["detected"].view(np.int64),
        key=state["detected_key"].view(np.int64),
        grown=state.grown,
        start=np.array([_start(state, part.name, part.shape[0]) for part in parts], np.int64),
        width=np.array([int(np.prod(part.shape[1:])) for part in parts], np.int64),
        entered=np.zeros(room, np.int64),
        entered_count=np.full(1, -1),
        old=np.zeros(max(state.grown.size, 3 * room)),
        place=np.zeros(room, np.int64),
        room=np.array(world.room, np.int64),
        need=np.zeros(3, np.int64),
        always=np.bincount(world.topology.link_tree[_always(world)], minlength=trees),
        pushed=np.zeros(trees, np.int64),
        pose=pose,
        gone=gone,
        gone_bits=gone.view(np.int64),
        gone_count=count,
        row=row,
        row_bits=row.view(np.int64),
    )


def _always(world: World) -> Ints:
    """Return the links of blocks that a problem always has room for."""
    return np.concatenate([world.candidates.link, world.joint_rows.link])


def _start(state: State, name: str, declared: int) -> int:
    """Return where in the vector of what grows a part's rows of detected contacts start."""
    rows = state[name][declared:]
    return (rows.ctypes.data - state.grown.ctypes.data) // rows.itemsize


_STATUS = {"flag_values": [0, 1, 2], "flag_meanings": " ".join(CONTACT_STATUS)}
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
        Variable("status", dtype="int8", long_name="state of the contact", attributes=_STATUS),
    ),
)
"""Contacts that are closed or carried a force. In a step that is split at impacts, position, normal
and gap are those of the last part that found the contact."""


class Collisions:
    """Looks for contacts and keeps what is known of each of them.

    A contact that was there in the last look keeps its warm start and all else that the state holds
    of it; one that is new starts from zero; one that has gone is forgotten. Room is made when it
    runs out, half as much again as is needed, so that it is made rarely; all the rest is done by
    kernels (``kernels.contact.match``).

    Args:
        world: with a collider.
        state: of the simulation.
        moved: called when arrays of world and state have been replaced.
    """

    def __init__(
        self, world: World, collider: Collider, state: State, moved: Callable[[], None]
    ) -> None:
        self._world, self._collider, self._state, self._moved = world, collider, state, moved
        self._coefficients = collider.coefficients()
        self._poses = np.full_like(world.dynamics.pose, np.nan)
        self._gone, self._gone_count = np.zeros((8, RECORD_WORDS)), np.zeros(1, np.int64)
        self._found: Any = None
        self._version = -1
        self._wrenches = self._base = 0
        self._table = self._new_table()

    @property
    def count(self) -> int:
        """Number of contacts."""
        return int(self._state["detected"].view(np.int64)[0])

    @property
    def keys(self) -> Ints:
        """Their keys, ascending, shape (count,)."""
        return self._state["detected_key"].view(np.int64)[: self.count]

    def _new_table(self) -> Table:
        """Make the arrays that go with the present room, and their table."""
        world, state = self._world, self._state
        self._known = known_contacts(world, state, self._poses, self._gone, self._gone_count)
        self._rows = self._known.row.reshape(-1).view(COLLISIONS.dtype)
        return table_of(self._known, self._coefficients)

    def _renew(self) -> None:
        point_at(self._table, self._new_table())

    def bind(self, table: Table) -> None:
        """Bind the kernels to the table of the world's arrays."""
        mine, row, at = self._table, np.zeros(8), 0
        self._same_poses = bind(same_poses, table, mine)
        self._take_over = bind(take_over, table, mine, like=(_NOTHING_FOUND, 0, False))
        self._write_rows = bind(write_rows, table, mine, like=(0.0,))
        self._sum_up = bind(collision_wrenches, table, mine, like=(row, at, at, 0.0))

    def look(self, first: bool) -> None:
        """Find the contacts of the links' present poses.

        Args:
            first: whether this is a step's first look; others are of its later parts.
        """
        if not self._same_poses():
            self._detect()
        if self._known.grown is not self._state.grown:
            # A state has been restored that brought arrays of its own, and maybe other room.
            self._reserve(self._world.room._replace(contacts=self._state.room))
        answer = self._take_over(self._rows_found, self._found.n, first)
        while answer != DONE:
            self._make_room(answer)
            answer = self._take_over(self._rows_found, self._found.n, first)

    def _detect(self) -> None:
        poses = self._world.dynamics.pose
        try:
            found = self._collider.detector.detect(poses)
        except BaseException:
            self._poses[:] = np.nan
            raise
        if found is not self._found or found.version != self._version:
            self._rows_found = table_of(found_rows(found))
            self._found, self._version = found, found.version

    def _make_room(self, answer: int) -> None:
        """Allocate anew what is too small.

        Raises:
            PluginError: if the detector's keys are not in order.
        """
        if answer == BAD_KEYS:
            raise PluginError("the collision detector's keys are not unique and ascending")
        if answer == NO_ROOM:
            self._reserve(self._world.room.stretched(Room(*self._known.need.tolist())))
            return
        kept = self._gone
        self._gone = np.zeros((2 * (len(kept) + self.count), RECORD_WORDS))
        self._gone[: len(kept)] = kept
        self._renew()

    def _reserve(self, room: Room) -> None:
        world, state = self._world, self._state
        sums = world.detected.impulse
        world.reserve(room)
        state.reserve(room.contacts)
        kept = min(self.count, len(sums), room.contacts)
        world.detected.impulse[:kept] = sums[:kept]
        self._renew()
        self._moved()

    def set_friction(self, friction: Mapping[int, float]) -> None:
        """Give shapes, by their numbers, other coefficients of friction, [-]."""
        for number, value in friction.items():
            self._coefficients.side[number, 0] = value
        self._enter_again()

    def set_pair_friction(self, one: str, other: str, friction: float) -> None:
        """Give a pair of bodies that has coefficients of its own another one of friction, [-]."""
        for k, pair in enumerate(self._collider.pairs):
            if set(pair) == {one, other}:
                self._coefficients.value[k, 0] = friction
        self._enter_again()

    def _enter_again(self) -> None:
        """Let the contacts that are there have their coefficients anew at the next look."""
        self._known.entered_count[:] = -1

    def place(self, layout: Layout) -> None:
        """Note where in a row the forces by body are."""
        self._wrenches = layout.slice_of("collision_wrench").start
        self._base = layout.slice_of("base_position").start

    def record_stage(self, program: StepProgram) -> Stage:
        """Return what writes mean force and moment on every body over the step."""
        places = np.array([self._wrenches]), np.array([self._base])
        return program.stage(self._sum_up, program.row, *places, program.part)

    def rows(self, dt: float) -> npt.NDArray[np.void]:
        """Return the rows of the recording's table for the last step of length dt.

        They hold until the next step.
        """
        return self._rows[: self._write_rows(dt)]

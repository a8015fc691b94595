"""Detected contacts from step to step: found anew, known again by their keys, given room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import PluginError
from footfall.kernels.collision_rows import collision_wrenches
from footfall.kernels.compile import bind
from footfall.kernels.table import Table
from footfall.recording.layout import Layout
from footfall.simulation.collision_table import COLLISIONS, collision_rows
from footfall.simulation.state import State
from footfall.world.collider import Collider
from footfall.world.room import needed
from footfall.world.world import World

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Collisions:
    """Looks for contacts and keeps what is known of each of them.

    A contact that was there in the last look keeps its warm start and all else that the state holds
    of it; one that is new starts from zero; one that has gone is forgotten. Room is made when it
    runs out, half as much again as is needed, so that it is made rarely.

    Args:
        world: with a collider.
        state: of the simulation.
        moved: called when arrays of world and state have been replaced.
    """

    def __init__(
        self, world: World, collider: Collider, state: State, moved: Callable[[], None]
    ) -> None:
        self._world, self._collider, self._state, self._moved = world, collider, state, moved
        self._always = np.concatenate([world.candidates.link, world.joint_rows.link])
        self._poses = np.full_like(world.dynamics.pose, np.nan)
        self._found: Any = None
        self._gone = np.zeros(0, COLLISIONS.dtype)
        self._wrenches = slice(0, 0)

    @property
    def count(self) -> int:
        """Number of contacts."""
        return int(self._state["detected"].view(np.int64)[0])

    @property
    def keys(self) -> Ints:
        """Their keys, ascending, shape (count,)."""
        return self._state["detected_key"].view(np.int64)[: self.count]

    def begin(self) -> None:
        """Forget what earlier parts of the last step have left behind."""
        if len(self._gone):
            self._gone = self._gone[:0]

    def look(self) -> None:
        """Find the contacts of the links' present poses."""
        poses, detected = self._world.dynamics.pose, self._world.detected
        if self._found is None or not np.array_equal(poses, self._poses):
            self._found = self._collider.detector.detect(poses)
            self._poses[:] = poses
        found, n = self._found, int(self._found.n)
        key = np.asarray(found.key[:n])
        if self._state.room != self._world.room.contacts or not np.array_equal(key, self.keys):
            self._recognise(key, found)
            detected = self._world.detected
        detected.position[:n] = found.position[:n]
        detected.normal[:n] = found.normal[:n]
        detected.gap[:n] = found.gap[:n]

    def _recognise(self, key: Ints, found: Any) -> None:
        """Take over another set of contacts; what is known of the old ones stays with them."""
        n = len(key)
        if (key[1:] <= key[:-1]).any():
            raise PluginError("the collision detector's keys are not unique and ascending")
        a, b = found.geometry_a[:n], found.geometry_b[:n]
        links = np.column_stack([found.link_a[:n], found.link_b[:n]])
        self._make_room(links)
        self._carry(key)
        detected = self._world.detected
        detected.link[:n] = links
        detected.friction[:n], detected.restitution[:n] = self._collider.coefficients(a, b)

    def _make_room(self, links: Ints) -> None:
        """Allocate anew if the contacts need it, or if a restored state brings other room."""
        world, state = self._world, self._state
        need, have = needed(world.topology, self._always, links), world.room
        if have.holds(need) and have.contacts == state.room:
            return
        room = have._replace(contacts=state.room)
        if not room.holds(need):
            room = room.stretched(need)
        sums, count = world.detected.impulse, self.count
        world.reserve(room)
        state.reserve(room.contacts)
        kept = min(count, len(sums), room.contacts)
        world.detected.impulse[:kept] = sums[:kept]
        self._moved()

    def _carry(self, key: Ints) -> None:
        """Move what is known of each contact to its new row; new contacts start from zero."""
        state, detected, old, n = self._state, self._world.detected, self.keys.copy(), len(key)
        m = len(old)
        place = np.searchsorted(old, key)
        stays = np.zeros(n, bool) if m == 0 else old[np.minimum(place, m - 1)] == key
        self._remember(np.setdiff1d(np.arange(m), place[stays]))
        first = {part.name: part.shape[0] for part in state.parts if part.grows}
        arrays = [state[name][rows:] for name, rows in first.items()]
        for values in (*arrays, detected.impulse):
            kept = values[place[stays]]
            values[: max(m, n)] = 0.0
            values[:n][stays] = kept
        state["detected"].view(np.int64)[0] = n
        self.keys[:] = key

    def _remember(self, rows: Ints) -> None:
        """Keep contacts that have gone after they carried an impulse in an earlier part."""
        carried = rows[self._world.detected.impulse[rows].any(axis=1)]
        if len(carried):
            gone = collision_rows(self._world, self.keys, carried)
            self._gone = np.concatenate([self._gone, gone])

    def closed(self, touch: float) -> bool:
        """Whether a gap is at most ``touch`` [m]."""
        return bool((self._world.detected.gap[: self.count] <= touch).any())

    def bind(self, table: Table) -> None:
        """Bind the kernel that sums up forces by body."""
        row, at = np.zeros(8), 0
        self._sum_up = bind(collision_wrenches, table, like=(row, at, at))

    def place(self, layout: Layout) -> None:
        """Note where in a row the forces by body are."""
        self._wrenches = layout.slice_of("collision_wrench")
        self._base = layout.slice_of("base_position")

    def record(self, row: Floats) -> None:
        """Write the resulting force and moment on every body."""
        self._sum_up(row, self._wrenches.start, self._base.start)

    def rows(self, dt: float) -> npt.NDArray[np.void]:
        """Return the rows of the recording's table for the last step of length dt."""
        detected, n = self._world.detected, self.count
        pressed = detected.impulse[:n].any(axis=1) | (detected.gap[:n] <= 0.0)
        rows = collision_rows(self._world, self.keys, np.flatnonzero(pressed))
        rows = np.concatenate([self._gone, rows]) if len(self._gone) else rows
        rows["force"] /= dt
        return rows

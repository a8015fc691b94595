"""The arrays with which detected contacts are known again: made anew when they need more room."""

from __future__ import annotations

import numpy as np

from footfall.typing import Floats, Ints
from footfall.world.collision_arrays import RECORD_WORDS, Carried
from footfall.world.state import State
from footfall.world.world import World


def known_contacts(world: World, state: State, pose: Floats, gone: Floats, count: Ints) -> Carried:
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
    return Carried(
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

"""Arrays with which detected contacts are matched from step to step, and recorded."""

from __future__ import annotations

from typing import NamedTuple

from footfall.typing import Floats1, Floats2, Ints1, Ints2

RECORD_WORDS = 14
"""Length of a row of the recording's table of contacts, in words of eight bytes."""


class FoundRows(NamedTuple):
    """What a detector has found; see ``footfall.world.collider.FoundContacts``.

    Rows are by key ascending; there may be more of them than contacts.
    """

    key: Ints1
    geometry_a: Ints1
    geometry_b: Ints1
    link_a: Ints1
    link_b: Ints1
    position: Floats2
    normal: Floats2
    gap: Floats1


class Coefficients(NamedTuple):
    """Friction and restitution of shapes and of pairs of bodies.

    Attributes:
        side: shape (numbers, 2), friction and restitution of the shape of each number, NaN: none.
        body: shape (numbers,), index of the shape's body.
        pair: shape (pairs, 2), bodies for which other coefficients count.
        value: shape (pairs, 2), these, NaN where the sides count.
    """

    side: Floats2
    body: Ints1
    pair: Ints2
    value: Floats2


class KnownContacts(NamedTuple):
    """What is known of the contacts of the last look, and work space.

    Attributes:
        known: shape (1,), their number; view of the state.
        key: shape (room,), ascending; view of the state.
        entered: shape (room,), keys of the contacts whose links and coefficients the world's arrays
            hold: others than the state's after a restore.
        entered_count: shape (1,), their number, -1: none yet.
        grown: the state's vector of what it holds per contact.
        start: shape (parts,), where in that vector each part's rows of detected contacts start.
        width: shape (parts,), entries of a row.
        old: scratch as long as ``grown`` or three entries a contact.
        place: shape (room,), row of each contact in the last look, -1: it is new.
        room: shape (3,), as ``footfall.world.keys.Room``.
        need: shape (3,), likewise, of the contacts just found.
        always: shape (trees,), blocks on each tree that a world always has room for.
        pushed: shape (trees,), scratch.
        pose: shape (links, 12), of the last look.
        gone: shape (capacity, RECORD_WORDS), rows of contacts that have gone after they carried an
            impulse in an earlier part of the step, with that impulse in place of the force, [N s].
        gone_bits: the same memory as integers.
        gone_count: shape (1,), number of these.
        row: shape (room + capacity, RECORD_WORDS), rows for the recording.
        row_bits: the same memory as integers.
    """

    known: Ints1
    key: Ints1
    entered: Ints1
    entered_count: Ints1
    grown: Floats1
    start: Ints1
    width: Ints1
    old: Floats1
    place: Ints1
    room: Ints1
    need: Ints1
    always: Ints1
    pushed: Ints1
    pose: Floats2
    gone: Floats2
    gone_bits: Ints2
    gone_count: Ints1
    row: Floats2
    row_bits: Ints2

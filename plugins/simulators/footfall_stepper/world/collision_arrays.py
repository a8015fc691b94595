"""Keys of contacts, and arrays that match detected contacts from step to step.

A key names the geometries that touch and the feature of the pair. Warm starts, contact state and
recordings belong to a key, not to an index in an array. Declared points have fixed keys; detected
contacts get theirs from the touching pair.
"""

from __future__ import annotations

from typing import NamedTuple

from footfall.typing import Floats1, Floats2, Ints1, Ints2

BITS = 21
"""Bits of each of the three numbers; with three of them the key stays a positive int64."""
ENVIRONMENT = 0
"""The geometry number of the terrain."""


def contact_key(a: int, b: int, feature: int) -> int:
    """Pack geometry a (the ground's side), geometry b and a feature number into one int64.

    Raises:
        ValueError: if a number is negative or does not fit 21 bits.
    """
    for number in (a, b, feature):
        if not 0 <= number < 1 << BITS:
            raise ValueError(f"contact key ({a}, {b}, {feature}): each must be in [0, 2^{BITS})")
    return (a << (2 * BITS)) | (b << BITS) | feature


def unpack_key(key: int) -> tuple[int, int, int]:
    """Return geometry a, geometry b and feature of a key."""
    mask = (1 << BITS) - 1
    return key >> (2 * BITS), (key >> BITS) & mask, key & mask


SPARE, PAIRED, LEAST = 1.5, 2.0, 20
"""Reserve added when room runs out: relative to the need, the same limit for pairs, and a
constant."""


class Room(NamedTuple):
    """The room that detected contacts need in a contact problem.

    Attributes:
        contacts: their number.
        span: dofs changed by an impulse on their links, summed over both sides.
        pairs: pairs of blocks that share a tree, of all blocks, declared ones included.
    """

    contacts: int
    span: int
    pairs: int

    def stretched(self, need: Room) -> Room:
        """Return room with more than is needed; for contacts only if there is not enough.

        The rest is the need of this many contacts on links like the present ones. Pairs grow with
        the square, but more contacts are also spread over more bodies.
        """
        contacts = self.contacts
        if need.contacts > contacts:
            contacts = int(SPARE * need.contacts) + LEAST
        times = max(SPARE, contacts / max(1, need.contacts))
        span = int(times * need.span) + LEAST
        pairs = int(min(times, PAIRED) * need.pairs) + LEAST
        return Room(contacts, max(span, self.span), max(pairs, self.pairs))


NO_ROOM = Room(0, 0, 0)

RECORD_WORDS = 15
"""Length of a row of the recording's table of contacts, in words of eight bytes."""


class FoundRows(NamedTuple):
    """The contacts found by a detector, by key ascending.

    Attributes:
        key: shape (n,), unique, see ``contact_key``.
        geometry_a: shape (n,), number of the first shape: the fixed one if there is one.
        geometry_b: shape (n,), of the second.
        link_a: shape (n,), global link, -1 if fixed.
        link_b: shape (n,), of the second.
        position: shape (n, 3), midpoint of the two nearest points, world, [m].
        normal: shape (n, 3), unit, world, from a to b.
        gap: shape (n,), [m], negative for penetration.
    """

    key: Ints1
    geometry_a: Ints1
    geometry_b: Ints1
    link_a: Ints1
    link_b: Ints1
    position: Floats2
    normal: Floats2
    gap: Floats1


class Look(NamedTuple):
    """The calls of a look for contacts by address, and their results.

    Attributes:
        call: shape (2, 2), functions and frames: the detector's kernel, and the Python code for
            cases without an answer; or the stage that may need room, and Python that makes it.
        found: shape (1,), number of contacts found, -1 if unknown.
        answer: shape (1,), of ``take_over``.
    """

    call: Ints2
    found: Ints1
    answer: Ints1


class Coefficients(NamedTuple):
    """Friction and restitution of shapes and of pairs of bodies.

    Attributes:
        side: shape (numbers, 4), friction, restitution and the lengths of torsional and rolling
            friction [m] of the shape of each number; NaN if not given.
        body: shape (numbers,), index of the shape's body.
        pair: shape (pairs, 2), bodies with coefficients of their own as a pair.
        value: shape (pairs, 4), these coefficients; NaN: use the sides.
        directions: shape (numbers, 12), friction by direction of the shape of each number, see
            ``DirectionColumn``; empty if there is none.
        pair_directions: shape (pairs, 12), likewise of pairs.
    """

    side: Floats2
    body: Ints1
    pair: Ints2
    value: Floats2
    directions: Floats2
    pair_directions: Floats2


class KnownContacts(NamedTuple):
    """The contacts of the last look, and work space.

    Attributes:
        known: shape (1,), their number; view of the state.
        key: shape (room,), ascending; view of the state.
        entered: shape (room,), keys of the contacts whose links and coefficients the world's arrays
            hold; they differ from the state's after a restore.
        entered_count: shape (1,), their number, -1: none yet.
        grown: the state's vector of per-contact values.
        start: shape (parts,), start of each part's rows of detected contacts in that vector.
        width: shape (parts,), entries of a row.
        old: scratch as long as ``grown`` or three entries per contact.
        place: shape (room,), row of each contact in the last look, -1 if new.
        room: shape (3,), as ``footfall_stepper.world.collision_arrays.Room``.
        need: shape (3,), likewise, of the contacts just found.
        always: shape (trees,), blocks on each tree for which a world always has room.
        pushed: shape (trees,), scratch.
        pose: shape (links, 12), of the last look.
        gone: shape (capacity, RECORD_WORDS), rows of contacts that disappeared after carrying an
            impulse in an earlier part of the step, with that impulse in place of the force, [N s].
        gone_bits: the same memory as integers.
        gone_count: shape (1,), number of these rows.
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


class KeptRows(NamedTuple):
    """Rows of the recording's table, over successive steps.

    Attributes:
        row: shape (capacity, RECORD_WORDS).
        bits: the same memory as integers.
        end: shape (steps,), number of rows up to the end of each step.
        made: shape (2,), steps and rows so far; -1 steps: none are kept.
    """

    row: Floats2
    bits: Ints2
    end: Ints1
    made: Ints1

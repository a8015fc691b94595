"""Matching of detected contacts with those of the last step by their keys, and their record.

The data of a contact move with it. Three tables: that of the world, that of ``KnownContacts`` and
``Coefficients`` together, and that of ``FoundRows``.
"""

from __future__ import annotations

import math
from enum import IntEnum

from footfall.jit.compiling import inner, kernel
from footfall.jit.stages import call
from footfall.jit.tables import opener
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.coefficients import coefficient
from footfall_stepper.kernels.contact.detected import mean_force
from footfall_stepper.kernels.contact.directions import enter_direction
from footfall_stepper.world.collision_arrays import KeptRows, Look


class ContactWord(IntEnum):
    """First words of the fields of a row of ``stepping.detected_contacts.COLLISIONS``."""

    KEY = 0
    """Identity of the contact."""
    BODY_1 = 1
    """Body 1, -1 if it is fixed."""
    BODY_2 = 2
    """Body 2."""
    POSITION = 3
    """Contact point, three words."""
    NORMAL = 6
    """Normal from body 1 to body 2, three words."""
    GAP = 9
    """Distance."""
    FORCE = 10
    """Mean force on body 2, three words."""
    STATUS = 13
    """Status of the contact."""
    FRICTION = 14
    """Coefficient of friction of the pair."""


@inner
def write_row(detected, d, frame, dt, row, r):
    """Write the float fields of a contact's row; forces are means over dt."""
    force = mean_force(detected.normal, detected.impulse, d, frame, dt)
    row[r, ContactWord.GAP], row[r, ContactWord.FRICTION] = detected.gap[d], detected.friction[d]
    for k in range(3):
        row[r, ContactWord.POSITION + k] = detected.position[d, k]
        row[r, ContactWord.NORMAL + k] = detected.normal[d, k]
        row[r, ContactWord.FORCE + k] = force[k]


@inner
def write_numbers(topology, detected, key, d, bits, r):
    """Write the integer fields of a contact's row."""
    a, b = detected.link[d, 0], detected.link[d, 1]
    bits[r, ContactWord.KEY] = key[d]
    bits[r, ContactWord.BODY_1] = topology.link_tree[a] if a >= 0 else -1
    bits[r, ContactWord.BODY_2] = topology.link_tree[b]
    bits[r, ContactWord.STATUS] = int(detected.status[d])


class Match(IntEnum):
    """Answers of ``take_over``."""

    DONE = 0
    """The contacts are taken over."""
    NO_ROOM = 1
    """The world's arrays need more room."""
    NO_ROOM_FOR_GONE = 2
    """Contacts that have disappeared need more room."""
    BAD_KEYS = 3
    """Keys are not unique and ascending."""


keeps = opener(KeptRows, 0)


@kernel
def keep_rows(kept_table, table, carried, dt):
    """Store the rows of the recording's table for a step of length dt, if requested.

    First contacts that disappeared after carrying an impulse, then those that are closed or
    carried one. Returns 1 if there is no room.
    """
    kept, known = keeps(kept_table), tables.carried(carried)
    if kept.made[0] < 0:
        return 0
    if kept.made[1] + known.gone_count[0] + known.known[0] > len(kept.row):
        return Match.NO_ROOM
    detected, topology = tables.detected(table), tables.open_topology(table)
    frame, n = tables.scratch(table).frame, kept.made[1]
    for g in range(known.gone_count[0]):
        for k in range(ContactWord.FRICTION + 1):
            kept.bits[n, k] = known.gone_bits[g, k]
        for k in range(3):
            kept.row[n, ContactWord.FORCE + k] = known.gone[g, ContactWord.FORCE + k] / dt
        n += 1
    for d in range(known.known[0]):
        i0, i1, i2 = detected.impulse[d, 0], detected.impulse[d, 1], detected.impulse[d, 2]
        if i0 != 0.0 or i1 != 0.0 or i2 != 0.0 or detected.gap[d] <= 0.0:
            write_row(detected, d, frame, dt, kept.row, n)
            write_numbers(topology, detected, known.key, d, kept.bits, n)
            n += 1
    kept.end[kept.made[0]] = n
    kept.made[0], kept.made[1] = kept.made[0] + 1, n
    return 0


@kernel
def collision_wrenches(table, carried, row, at, base, dt):
    """Write force and moment about the base's origin of all detected contacts on every body.

    Means over a step of length dt, including contacts that disappeared within it. World axes,
    [N] and [N m]; ``base`` is the column of the bases' positions in the row.
    """
    topology, detected = tables.open_topology(table), tables.detected(table)
    state = tables.state(table)
    known, trees = tables.carried(carried), topology.link_tree
    for k in range(6 * len(topology.free)):
        row[at + k] = 0.0
    for g in range(known.gone_count[0]):
        f = known.gone[g]
        k, j = ContactWord.FORCE, ContactWord.POSITION
        force = (f[k] / dt, f[k + 1] / dt, f[k + 2] / dt)
        point = (f[j], f[j + 1], f[j + 2])
        add_to_body(row, at, base, known.gone_bits[g, ContactWord.BODY_1], -1.0, point, force)
        add_to_body(row, at, base, known.gone_bits[g, ContactWord.BODY_2], 1.0, point, force)
    for d in range(state.detected[0]):
        force = (detected.force[d, 0], detected.force[d, 1], detected.force[d, 2])
        if force[0] == 0.0 and force[1] == 0.0 and force[2] == 0.0:
            continue
        point = (detected.position[d, 0], detected.position[d, 1], detected.position[d, 2])
        a, b = detected.link[d, 0], detected.link[d, 1]
        add_to_body(row, at, base, trees[a] if a >= 0 else -1, -1.0, point, force)
        add_to_body(row, at, base, trees[b], 1.0, point, force)
        for k in range(3 if len(detected.moment) > 0 else 0):
            if a >= 0:
                row[at + 6 * trees[a] + 3 + k] -= detected.moment[d, k]
            row[at + 6 * trees[b] + 3 + k] += detected.moment[d, k]


@inner
def add_to_body(row, at, base, body, sign, point, force):
    """Add a force at a point to a body's wrench; body -1 is fixed."""
    if body < 0:
        return
    x = point[0] - row[base + 3 * body]
    y = point[1] - row[base + 3 * body + 1]
    z = point[2] - row[base + 3 * body + 2]
    f0, f1, f2 = force
    to = at + 6 * body
    row[to] += sign * f0
    row[to + 1] += sign * f1
    row[to + 2] += sign * f2
    row[to + 3] += sign * (y * f2 - z * f1)
    row[to + 4] += sign * (z * f0 - x * f2)
    row[to + 5] += sign * (x * f1 - y * f0)


looks = opener(Look, 0)


@kernel
def with_room(look_table):
    """Call a stage until it has enough room, which Python makes; return 0, or -1 if it fails.

    The stage is a separate function, since this one would not see the moved arrays.
    """
    c = looks(look_table)
    answer = call(c.call[0, 0], c.call[0, 1])
    while answer > Match.DONE:
        if call(c.call[1, 0], c.call[1, 1]) < 0:
            return -1
        answer = call(c.call[0, 0], c.call[0, 1])
    return answer


@kernel
def look(look_table, table, carried, found_table, first):
    """Find the contacts at the links' present poses; return ``take_over``'s answer, -1 on failure.

    Args:
        look_table: table of the stage that this calls.
        table: of the world.
        carried: table of the known contacts.
        found_table: table of the found contacts.
        first: whether this is the first look of a step; others are of its later parts.
    """
    asked = looks(look_table)
    if not same_poses(tables.open_dynamics(table).pose, tables.carried(carried).pose):
        asked.found[0] = call(asked.call[0, 0], asked.call[0, 1])
        if asked.found[0] < 0:
            asked.found[0] = call(asked.call[1, 0], asked.call[1, 1])
    if asked.found[0] < 0:
        tables.carried(carried).pose[0, 0] = math.nan
        return -1
    asked.answer[0] = take_over(table, carried, found_table, asked.found[0], first)
    return asked.answer[0]


@inner
def same_poses(pose, last):
    """Return whether the links have not moved since the last call; store their poses."""
    same = True
    for i in range(len(pose)):
        for k in range(12):
            if pose[i, k] != last[i, k]:
                same = False
                last[i, k] = pose[i, k]
    return same


@inner
def take_over(table, carried, found_table, n, first):
    """Take over the n found contacts; known contacts keep their data.

    Changes only scratch arrays if the answer is not ``DONE``.

    Args:
        table: of the world.
        carried: table of the known contacts.
        found_table: table of the found contacts.
        n: number of contacts found.
        first: whether this is the first look of a step: contacts that have disappeared since
            then belong to the last step.
    """
    known, found = tables.carried(carried), tables.found(found_table)
    detected, topology = tables.detected(table), tables.open_topology(table)
    if first:
        known.gone_count[0] = 0
    if not same_keys(known, found, n):
        if not ascending(found.key, n):
            return Match.BAD_KEYS
        if not enough(topology, known, found, n):
            return Match.NO_ROOM
        find_places(known, found, n)
        if not first and known.gone_count[0] + known.known[0] > len(known.gone):
            return Match.NO_ROOM_FOR_GONE
        if not first:
            remember(topology, detected, known, n, tables.scratch(table).frame)
        move_rows(known, detected, n)
        for d in range(known.known[0]):
            known.key[d] = 0
        for d in range(n):
            known.key[d] = known.entered[d] = found.key[d]
        known.known[0] = known.entered_count[0] = n
        enter(detected, found, tables.coefficients(carried), n)
    for d in range(n):
        detected.gap[d] = found.gap[d]
        for k in range(3):
            detected.position[d, k] = found.position[d, k]
            detected.normal[d, k] = found.normal[d, k]
    return Match.DONE


@inner
def same_keys(known, found, n):
    """Return whether the found contacts are those of the state and the world's arrays."""
    if known.known[0] != n or known.entered_count[0] != n:
        return False
    for d in range(n):
        if known.key[d] != found.key[d] or known.entered[d] != found.key[d]:
            return False
    return True


@inner
def ascending(key, n):
    """Return whether keys are unique and ascending."""
    below = n
    for d in range(1, n):
        if key[d] <= key[d - 1]:
            below = d
    return below == n


@inner
def enough(topology, known, found, n):
    """Count the rows that the contacts need, see ``Room``, and return whether there is room."""
    span, trees = 0, len(topology.free)
    for t in range(trees):
        known.pushed[t] = known.always[t]
    for d in range(n):
        for link in (found.link_a[d], found.link_b[d]):
            if link >= 0:
                known.pushed[topology.link_tree[link]] += 1
                span += topology.span_start[link + 1] - topology.span_start[link]
    pairs = 0
    for t in range(trees):
        pairs += known.pushed[t] * known.pushed[t]
    known.need[0], known.need[1], known.need[2] = n, span, pairs
    return n <= known.room[0] and span <= known.room[1] and pairs <= known.room[2]


@inner
def find_places(known, found, n):
    """Find the old row of each contact; both lists are ascending."""
    old, m = 0, known.known[0]
    for d in range(n):
        while old < m and known.key[old] < found.key[d]:
            old += 1
        known.place[d] = old if old < m and known.key[old] == found.key[d] else -1


@inner
def remember(topology, detected, known, n, frame):
    """Keep the rows of contacts that disappeared after carrying an impulse."""
    d = 0
    for old in range(known.known[0]):
        while d < n and (known.place[d] < 0 or known.place[d] < old):
            d += 1
        if d < n and known.place[d] == old:
            continue
        i = detected.impulse
        if i[old, 0] != 0.0 or i[old, 1] != 0.0 or i[old, 2] != 0.0:
            to = known.gone_count[0]
            write_row(detected, old, frame, 1.0, known.gone, to)
            write_numbers(topology, detected, known.key, old, known.gone_bits, to)
            known.gone_count[0] += 1


@inner
def move_rows(known, detected, n):
    """Move the data of each contact to its new row; new contacts start from zero."""
    m = known.known[0]
    for p in range(len(known.start)):
        width, start = known.width[p], known.start[p]
        for k in range(width * m):
            known.old[k] = known.grown[start + k]
        for d in range(max(m, n)):
            place = known.place[d] if d < n else -1
            for k in range(width):
                value = known.old[width * place + k] if place >= 0 else 0.0
                known.grown[start + width * d + k] = value
    move_sums(known, detected.impulse, n)
    if len(detected.moment) > 0:
        move_sums(known, detected.moment, n)


@inner
def move_sums(known, sums, n):
    """Move sums over the step, three numbers per contact, in the same way."""
    m = known.known[0]
    for d in range(m):
        for k in range(3):
            known.old[3 * d + k] = sums[d, k]
    for d in range(max(m, n)):
        place = known.place[d] if d < n else -1
        for k in range(3):
            sums[d, k] = known.old[3 * place + k] if place >= 0 else 0.0


@inner
def enter(detected, found, coefficients, n):
    """Write the constant data of a contact: links, coefficients, lengths."""
    for d in range(n):
        detected.link[d, 0], detected.link[d, 1] = found.link_a[d], found.link_b[d]
        a, b = found.geometry_a[d], found.geometry_b[d]
        detected.friction[d] = coefficient(coefficients, a, b, 0)
        detected.restitution[d] = coefficient(coefficients, a, b, 1)
        if len(detected.directions) > 0:
            enter_direction(detected, coefficients, a, b, d)
        if len(detected.lengths) > 0:
            detected.lengths[d, 0] = coefficient(coefficients, a, b, 2)
            detected.lengths[d, 1] = coefficient(coefficients, a, b, 3)

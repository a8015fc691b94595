"""Detected contacts are known again by their keys, and what is known of each moves with it.

Three tables: the world's, that of ``Carried`` and ``Coefficients`` together, that of ``FoundRows``.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.kernels import tables as the
from footfall.kernels.contact.collision_rows import write_numbers, write_row
from footfall.kernels.contact.detect import combine

DONE, NO_ROOM, NO_ROOM_FOR_GONE, BAD_KEYS = range(4)
"""What ``take_over`` answers."""


@kernel
def same_poses(table, carried):
    """Whether the links are where they were when this was last asked; note where they are."""
    pose, last = the.dynamics(table).pose, the.carried(carried).pose
    same = True
    for i in range(len(pose)):
        for k in range(12):
            if pose[i, k] != last[i, k]:
                same = False
                last[i, k] = pose[i, k]
    return same


@kernel
def take_over(table, carried, found_table, n, first):
    """Take over the n contacts that have been found; what is known of the old ones stays with them.

    Changes nothing but scratch if the answer is not ``DONE``.

    Args:
        table: of the world.
        carried: table of what is known.
        found_table: of what has been found.
        n: number of contacts found.
        first: whether this is a step's first look: what has gone since belongs to the last step.
    """
    known, found = the.carried(carried), the.found(found_table)
    detected, topology = the.detected(table), the.topology(table)
    if first:
        known.gone_count[0] = 0
    if not same_keys(known, found, n):
        if not ascending(found.key, n):
            return BAD_KEYS
        if not enough(topology, known, found, n):
            return NO_ROOM
        find_places(known, found, n)
        if not first and known.gone_count[0] + known.known[0] > len(known.gone):
            return NO_ROOM_FOR_GONE
        if not first:
            remember(topology, detected, known, n, the.scratch(table).frame)
        move_rows(known, detected.impulse, n)
        for d in range(known.known[0]):
            known.key[d] = 0
        for d in range(n):
            known.key[d] = known.entered[d] = found.key[d]
        known.known[0] = known.entered_count[0] = n
        enter(detected, found, the.coefficients(carried), n)
    for d in range(n):
        detected.gap[d] = found.gap[d]
        for k in range(3):
            detected.position[d, k] = found.position[d, k]
            detected.normal[d, k] = found.normal[d, k]
    return DONE


@inner
def same_keys(known, found, n):
    """Whether what has been found is what the state and the world's arrays know."""
    if known.known[0] != n or known.entered_count[0] != n:
        return False
    for d in range(n):
        if known.key[d] != found.key[d] or known.entered[d] != found.key[d]:
            return False
    return True


@inner
def ascending(key, n):
    """Whether keys are unique and ascending."""
    below = n
    for d in range(1, n):
        if key[d] <= key[d - 1]:
            below = d
    return below == n


@inner
def enough(topology, known, found, n):
    """Find what the contacts take, see ``footfall.world.room``, and say if there is room for it."""
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
    """Keep the rows of contacts that have gone after they carried an impulse."""
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
def move_rows(known, impulse, n):
    """Move what is known of each contact to its new row; new contacts start from zero."""
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
    for d in range(m):
        for k in range(3):
            known.old[3 * d + k] = impulse[d, k]
    for d in range(max(m, n)):
        place = known.place[d] if d < n else -1
        for k in range(3):
            impulse[d, k] = known.old[3 * place + k] if place >= 0 else 0.0


@inner
def enter(detected, found, coefficients, n):
    """Write what never changes of a contact: links, friction, restitution."""
    for d in range(n):
        detected.link[d, 0], detected.link[d, 1] = found.link_a[d], found.link_b[d]
        a, b = found.geometry_a[d], found.geometry_b[d]
        detected.friction[d] = coefficient(coefficients, a, b, 0)
        detected.restitution[d] = coefficient(coefficients, a, b, 1)


@inner
def coefficient(coefficients, a, b, which):
    """Return friction (0) or restitution (1) of two shapes, 0 if nothing gives it.

    Given on one side it is the pair's; on both, the harmonic mean; the pair's own goes before.
    """
    side, body, pair = coefficients.side, coefficients.body, coefficients.pair
    found = combine(side[a, which], side[b, which])
    one, two = body[a], body[b]
    for p in range(len(pair)):
        a, b, value = pair[p, 0], pair[p, 1], coefficients.value[p, which]
        meant = (a == one and b == two) or (a == two and b == one)
        if meant and not math.isnan(value):
            found = value
    return 0.0 if math.isnan(found) else found

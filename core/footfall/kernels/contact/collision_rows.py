"""Detected contacts in a recording: a row each, and their forces summed up by body."""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel
from footfall.kernels import tables as the
from footfall.spatial.rotation import tangent_basis

KEY, BODY_1, BODY_2, POSITION, NORMAL, GAP, FORCE, STATUS = 0, 1, 2, 3, 6, 9, 10, 13
"""Words of a row, in the order of ``simulation.collision_table.COLLISIONS``."""


@inner
def write_row(detected, d, frame, dt, row, r):
    """Write what are floats of a contact's row; the mean force over dt."""
    i0, i1, i2 = detected.impulse[d, 0], detected.impulse[d, 1], detected.impulse[d, 2]
    tangent_basis(detected.normal, d, frame, 0)
    row[r, GAP] = detected.gap[d]
    for k in range(3):
        row[r, POSITION + k] = detected.position[d, k]
        row[r, NORMAL + k] = detected.normal[d, k]
        row[r, FORCE + k] = (frame[0, 0, k] * i0 + frame[0, 1, k] * i1 + frame[0, 2, k] * i2) / dt


@inner
def write_numbers(topology, detected, key, d, bits, r):
    """Write what are integers of a contact's row."""
    a, b = detected.link[d, 0], detected.link[d, 1]
    bits[r, KEY] = key[d]
    bits[r, BODY_1] = topology.link_tree[a] if a >= 0 else -1
    bits[r, BODY_2] = topology.link_tree[b]
    bits[r, STATUS] = int(detected.status[d])


@kernel
def write_rows(table, carried, dt):
    """Write the rows of the recording's table for a step of length dt; return their number.

    Contacts that have gone after they carried an impulse, then those that are closed or carried
    one.
    """
    known, detected = the.carried(carried), the.detected(table)
    topology, frame = the.topology(table), the.scratch(table).frame
    n = known.gone_count[0]
    for g in range(n):
        for k in range(STATUS + 1):
            known.row_bits[g, k] = known.gone_bits[g, k]
        for k in range(3):
            known.row[g, FORCE + k] = known.gone[g, FORCE + k] / dt
    for d in range(known.known[0]):
        i0, i1, i2 = detected.impulse[d, 0], detected.impulse[d, 1], detected.impulse[d, 2]
        if i0 != 0.0 or i1 != 0.0 or i2 != 0.0 or detected.gap[d] <= 0.0:
            write_row(detected, d, frame, dt, known.row, n)
            write_numbers(topology, detected, known.key, d, known.row_bits, n)
            n += 1
    return n


@kernel
def collision_wrenches(table, carried, row, at, base, dt):
    """Write force and moment about the base's origin of all detected contacts on every body.

    Mean values over a step of length dt, of contacts that have gone within it too. World axes, [N]
    and [N m]; ``base`` is where the bases' positions are in the row.
    """
    topology, detected, state = the.topology(table), the.detected(table), the.state(table)
    known, trees = the.carried(carried), topology.link_tree
    for k in range(6 * len(topology.free)):
        row[at + k] = 0.0
    for g in range(known.gone_count[0]):
        f = known.gone[g]
        force = (f[FORCE] / dt, f[FORCE + 1] / dt, f[FORCE + 2] / dt)
        point = (f[POSITION], f[POSITION + 1], f[POSITION + 2])
        add_to_body(row, at, base, known.gone_bits[g, BODY_1], -1.0, point, force)
        add_to_body(row, at, base, known.gone_bits[g, BODY_2], 1.0, point, force)
    for d in range(state.detected[0]):
        force = (detected.force[d, 0], detected.force[d, 1], detected.force[d, 2])
        if force[0] == 0.0 and force[1] == 0.0 and force[2] == 0.0:
            continue
        point = (detected.position[d, 0], detected.position[d, 1], detected.position[d, 2])
        a, b = detected.link[d, 0], detected.link[d, 1]
        add_to_body(row, at, base, trees[a] if a >= 0 else -1, -1.0, point, force)
        add_to_body(row, at, base, trees[b], 1.0, point, force)


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

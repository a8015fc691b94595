"""Forces of detected contacts, summed up by body."""

from __future__ import annotations

from footfall.kernels import table as the
from footfall.kernels.compile import kernel


@kernel
def collision_wrenches(table, row, at, base):
    """Write force and moment about the base's origin of all detected contacts on every body.

    World axes, [N] and [N m]; ``base`` is where the bases' positions are in the row.
    """
    topology, detected, state = the.topology(table), the.detected(table), the.state(table)
    for k in range(6 * len(topology.free)):
        row[at + k] = 0.0
    for d in range(state.detected[0]):
        f0, f1, f2 = detected.force[d, 0], detected.force[d, 1], detected.force[d, 2]
        if f0 == 0.0 and f1 == 0.0 and f2 == 0.0:
            continue
        for s in range(2):
            if detected.link[d, s] < 0:
                continue
            body, sign = topology.link_tree[detected.link[d, s]], 1.0 if s == 1 else -1.0
            x = detected.position[d, 0] - row[base + 3 * body]
            y = detected.position[d, 1] - row[base + 3 * body + 1]
            z = detected.position[d, 2] - row[base + 3 * body + 2]
            to = at + 6 * body
            row[to] += sign * f0
            row[to + 1] += sign * f1
            row[to + 2] += sign * f2
            row[to + 3] += sign * (y * f2 - z * f1)
            row[to + 4] += sign * (z * f0 - x * f2)
            row[to + 5] += sign * (x * f1 - y * f0)

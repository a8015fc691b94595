"""Whether the state after a part of a step is still the one that the part has made."""

from __future__ import annotations

import math

from footfall.api.kernels import inner, kernel
from footfall_gradients.kernels.part import AGREES, CHANGED, DONE, cross
from footfall_gradients.tables import part, part_topology

EDITED = 1e-9
"""Change of a position that counts as an edit, [m, rad]."""


@kernel
def velocity_agrees(table, new):
    """Return ``DONE`` if a velocity is the one after the part, else ``CHANGED``."""
    a = part(table)
    for i in range(len(new)):
        if not abs(a.new[i] - new[i]) <= AGREES * (1.0 + abs(new[i])):
            return CHANGED
    return DONE


@inner
def base_error(way, i, old, new, p):
    """Return how far a base is from where a displacement brings it: the larger of [m] and [rad].

    The place is ``p + R d``, with ``R d = d + 2 (w t + u x t)``, ``t = u x d``, of the quaternion
    (u, w). The turn q from the old to the new one has the vector part ``sin(|r| / 2) r / |r|``.
    """
    n, w, s, same, far, wide = p + 3, old[p + 6], new[p + 6], old[p + 6] * new[p + 6], 0.0, 0.0
    u0, u1, u2 = old[n], old[n + 1], old[n + 2]
    t = cross(u0, u1, u2, way[i], way[i + 1], way[i + 2])
    ut = cross(u0, u1, u2, t[0], t[1], t[2])
    between = cross(u0, u1, u2, new[n], new[n + 1], new[n + 2])
    half = 0.5 * math.sqrt(way[i + 3] ** 2 + way[i + 4] ** 2 + way[i + 5] ** 2)
    sine = math.sin(half) / half if half > 0.0 else 1.0
    for k in range(3):
        same += old[n + k] * new[n + k]
    sign = math.copysign(2.0, same * math.cos(half))
    for k in range(3):
        far += (old[p + k] + way[i + k] + 2.0 * (w * t[k] + ut[k]) - new[p + k]) ** 2
        turn = sign * (w * new[n + k] - s * old[n + k] - between[k])
        wide += (turn - sine * way[i + 3 + k]) ** 2
    return math.sqrt(max(far, wide)) if far + wide >= 0.0 else 1e300


@kernel
def positions_agree(table, old, new):
    """Return ``DONE`` if positions are those after the part, else ``CHANGED``."""
    topology, a = part_topology(table), part(table)
    worst, largest, square = 0.0, 0.0, 0.0
    for k in range(len(new)):
        largest = max(largest, abs(new[k]))
    for i in range(len(a.way)):
        k = topology.dof_q[i]
        if k >= 0:
            square += (new[k] - old[k] - a.way[i]) ** 2
    for tree in range(len(topology.free)):
        if topology.floating[tree] == 1:
            at = topology.tree_v[tree], topology.tree_q[tree]
            worst = max(worst, base_error(a.way, at[0], old, new, at[1]))
    worst, most = max(worst, math.sqrt(square)), EDITED * (1.0 + largest)
    return DONE if worst <= most and largest + square < 1e300 else CHANGED

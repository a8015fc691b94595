"""The natural map of a dense group, the core's measure of answers."""

from __future__ import annotations

from footfall.api.advanced import natural_map_cone
from footfall.api.contact import BlockKind
from footfall.api.kernels import kernel


@kernel
def natural_map(W, row, kind, mu, lower, upper, b, r):
    """Return the largest natural map over the blocks at the velocity ``u = W r + b``, [m/s].

    ``|r - P(r - u / w)| w`` with w the largest diagonal entry of the block (u with De Saxce's term
    for a cone); NaN if one is NaN.
    """
    worst = 0.0
    for i in range(len(kind)):
        at, w = row[i], 0.0
        u0, u1, u2 = 0.0, 0.0, 0.0
        for k in range(row[i], row[i + 1]):
            w = max(w, W[k, k])
            u0, u1, u2 = u1, u2, b[k]
            for j in range(len(r)):
                u2 += W[k, j] * r[j]
        if w <= 0.0:
            continue
        if kind[i] == BlockKind.CONE:
            error = natural_map_cone(r[at], r[at + 1], r[at + 2], u0, u1, u2, mu[i], w)
        else:
            low, high = 0.0, 1e300
            if kind[i] == BlockKind.BOX:
                low, high = lower[i], upper[i]
            error = w * abs(r[at] - min(max(r[at] - u2 / w, low), high))
        if error > worst or error != error:
            worst = error
    return worst

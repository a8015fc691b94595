"""Bodies that start inside each other."""

from __future__ import annotations

import warnings

import numpy as np

from footfall.simulation.simulator import Simulator
from footfall.world.key import unpack_key

DEEP = 1e-3
"""Depth from which a start is told, [m]."""
MOST = 5
"""Pairs that are named."""


class DeepStartWarning(UserWarning):
    """Bodies start inside each other; they are brought apart slowly."""


def deep_starts(sim: Simulator, depth: float = DEEP) -> list[tuple[str, str, float]]:
    """Return the pairs of shapes that are deeper in each other than ``depth``, deepest first.

    Args:
        sim: at its start.
        depth: [m].

    Returns:
        Names of both shapes, and the depth, [m].
    """
    found: dict[tuple[str, str], float] = {}
    collisions, collider = sim.stepper.collisions, sim.world.collider
    if collisions is None or collider is None:
        return []
    gaps, keys = sim.world.detected.gap[: collisions.count], collisions.keys
    for k in np.flatnonzero(gaps < -depth):
        a, b, _ = unpack_key(int(keys[k]))
        pair = collider.names[a], collider.names[b]
        found[pair] = max(found.get(pair, 0.0), -float(gaps[k]))
    return sorted(((a, b, deep) for (a, b), deep in found.items()), key=lambda row: -row[2])


def tell_deep_starts(sim: Simulator) -> None:
    """Warn of bodies that start inside each other, with pair and depth."""
    found = deep_starts(sim)
    if not found:
        return
    told = ", ".join(f"{a} and {b} by {1e3 * deep:.3g} mm" for a, b, deep in found[:MOST])
    more = f" and {len(found) - MOST} more pairs" if len(found) > MOST else ""
    warnings.warn(
        f"bodies start inside each other: {told}{more}; they are brought apart slowly",
        DeepStartWarning,
        stacklevel=2,
    )

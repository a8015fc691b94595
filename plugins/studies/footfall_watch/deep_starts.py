"""Bodies that start inside each other or inside the ground."""

from __future__ import annotations

import warnings

import numpy as np

from footfall import Scene
from footfall_stepper.api import StepperSimulator
from footfall_watch.places import in_words

DEEP = 1e-3
"""Least depth at the start that is reported, [m]."""
MOST = 5
"""Most pairs that are named."""


class DeepStartWarning(UserWarning):
    """Bodies start inside each other or inside the ground."""


def deep_starts(sim: StepperSimulator, depth: float = DEEP) -> list[tuple[str, str, float]]:
    """Return the pairs of shapes that overlap by more than ``depth``, deepest first.

    Args:
        sim: simulator at its start.
        depth: least depth, [m].

    Returns:
        Names of both shapes, and the depth, [m].
    """
    found: dict[tuple[str, str], float] = {}
    collisions, collider = sim.stepper.collisions, sim.world.collider
    if collisions is None or collider is None:
        return []
    gaps, keys = sim.world.detected.gap[: collisions.count], collisions.keys
    for k in np.flatnonzero(gaps < -depth):
        pair = collider.touching(int(keys[k]))
        found[pair] = max(found.get(pair, 0.0), -float(gaps[k]))
    return sorted(((a, b, deep) for (a, b), deep in found.items()), key=lambda row: -row[2])


def sunk_starts(sim: StepperSimulator, depth: float = DEEP) -> list[tuple[str, float]]:
    """Return the bodies that start deeper in the ground than ``depth``, deepest first.

    Compliant laws let points start as deep as the weight presses them: nothing is returned for
    those.

    Args:
        sim: simulator at its start.
        depth: least depth, [m].

    Returns:
        Name of each body's deepest contact point, and the depth, [m].
    """
    if sim.stepper.law.rest_depth(1.0) > 0.0:
        return []
    deepest: dict[str, tuple[str, float]] = {}
    for name, gap in zip(sim.world.contact_names, sim.world.candidates.gap, strict=True):
        body = name.split("/")[0]
        if -gap > max(depth, deepest.get(body, ("", 0.0))[1]):
            deepest[body] = name, -float(gap)
    return sorted(deepest.values(), key=lambda row: -row[1])


def deepest_start(sim: StepperSimulator) -> tuple[float, str]:
    """Return the depth of the deepest contact at the start, [m], and its place.

    Args:
        sim: simulator at its start.
    """
    pairs = [(deep, f"{a} and {b}") for a, b, deep in deep_starts(sim, 0.0)[:1]]
    points = [(deep, name) for name, deep in sunk_starts(sim, 0.0)[:1]]
    return max(pairs + points, default=(0.0, ""))


def tell_deep_starts(scene: Scene, sim: StepperSimulator, tell: bool) -> None:
    """Warn of bodies that start inside each other or inside the ground, with names and depth."""
    if not tell:
        return
    m = sim.world.metre
    sunk = sunk_starts(sim, DEEP * m)
    if sunk:
        told = ", ".join(f"{name} by {in_words(deep / m)}" for name, deep in sunk[:MOST])
        more = f" and points of {len(sunk) - MOST} more bodies" if len(sunk) > MOST else ""
        warnings.warn(
            f"contact points start inside the ground: {told}{more}; "
            "Footfall lifts them out slowly: start higher (base_position)",
            DeepStartWarning,
            stacklevel=3,
        )
    found = deep_starts(sim, DEEP * m)
    if not found:
        return
    told = ", ".join(f"{a} and {b} by {in_words(deep / m)}" for a, b, deep in found[:MOST])
    more = f" and {len(found) - MOST} more pairs" if len(found) > MOST else ""
    warnings.warn(
        f"bodies start inside each other: {told}{more}; Footfall moves them apart slowly",
        DeepStartWarning,
        stacklevel=3,
    )

"""Checks of a scene's step before the first is made."""

from __future__ import annotations

from math import ceil, inf

import numpy as np

from footfall import Scene, Simulator
from footfall_watch.stable_step import longest_step, scheme_of

SHARE = 0.5
"""Part of the longest stable step that ``auto`` stays below: contacts get stiffer as they are
loaded beyond what is known at the start."""


def check_step(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse a scene whose steps are longer than its contact law is stable with.

    Args:
        scene: what was assembled.
        sim: at its start.
        tell: of no effect here.

    Returns:
        Parts that a step must be made in to be stable, with room for heavier loads.

    Raises:
        SceneError: if ``substeps`` is not ``auto`` and the steps are too long; names the key, and
            the step that would do.
    """
    longest = longest_step(sim)
    if longest == inf:
        return 1
    table = scene.simulation
    if table.substeps == "auto":
        landing = longest_step(sim, landing=True)
        return max(1, ceil(table.time_step / (SHARE * landing)))
    if sim.time_step > longest:
        parts = ceil(table.time_step / longest)
        raise scene.error(
            f'{sim.time_step:g} s is longer than contact "{scene.contact.plugin}" is stable with '
            f"on these bodies: {rounded_down(longest):g} s would do, or simulation.substeps = "
            f'{parts} or "auto"',
            *("simulation", "time_step"),
        )
    return 1


def check_order(scene: Scene, sim: Simulator, tell: bool) -> int:
    """Refuse impacts after the forces where the forces are those of the middle of the step.

    The velocity of an impact is that of the start, and would meet the middle's positions.

    Raises:
        SceneError: if so; names the key.
    """
    scheme = scheme_of(sim)
    if scheme is not None and scheme.by_middle and scene.simulation.impact_order == "after_contact":
        raise scene.error(
            f'integrator "{scheme.name}" finds forces in the middle of a step, which an impact '
            'after them does not know of: leave it at "before_contact"',
            *("simulation", "impact_order"),
        )
    return 1


def rounded_down(step: float) -> float:
    """Return a step to two digits, not longer than it was, [s]."""
    unit = 10.0 ** (np.floor(np.log10(step)) - 1.0)
    return float(np.floor(step / unit * (1.0 + 1e-9)) * unit)

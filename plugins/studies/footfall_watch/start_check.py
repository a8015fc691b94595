"""Checks of a simulator at its start: its time step, and contacts with triangle meshes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import ceil, inf
from typing import cast

import numpy as np

from footfall import Scene
from footfall.api.plugin import RobotWarning
from footfall_stepper.api import CollisionShape, StepperSimulator
from footfall_watch.stable_step import longest_step

SHARE = 0.5
"""Part of the longest stable step that ``auto`` stays below: contacts get stiffer under loads
greater than those known at the start."""


def check_step(scene: Scene, sim: StepperSimulator, tell: bool) -> int:
    """Reject a scene whose steps are longer than its contact law is stable with.

    Args:
        scene: assembled scene.
        sim: simulator at its start.
        tell: whether to warn of steps that are too long once one foot carries its body.

    Returns:
        Number of substeps that are stable, with room for heavier loads.

    Raises:
        SceneError: if ``substeps`` is not ``auto`` and the steps are too long; names the key, and
            a step that is short enough.
    """
    longest = longest_step(sim)
    if longest == inf:
        return 1
    alone = longest_step(sim, one_foot=True)
    table = scene.simulation
    if table.substeps == "auto":
        landing = min(longest_step(sim, landing=True), alone)
        return max(1, ceil(table.time_step / (SHARE * landing)))
    if sim.time_step > longest:
        parts = ceil(table.time_step / longest)
        raise scene.error(
            f'{sim.time_step:g} s is too long for contact "{scene.contact.plugin}" with these '
            f"bodies: use {rounded_down(longest):g} s, or simulation.substeps = "
            f'{parts} or "auto"',
            *("simulation", "time_step"),
        )
    if tell and sim.time_step > alone:
        warnings.warn(
            f"steps of {sim.time_step:g} s are stable while all feet share the weight, too long "
            f'for contact "{scene.contact.plugin}" once one foot carries it (up to '
            f"{rounded_down(alone):g} s): a stride may explode, use simulation.substeps = "
            f'{ceil(table.time_step / alone)} or "auto"',
            RobotWarning,
            stacklevel=3,
        )
    return 1


def rounded_down(step: float) -> float:
    """Return a step rounded down to two digits, [s]."""
    unit = 10.0 ** (np.floor(np.log10(step)) - 1.0)
    return float(np.floor(step / unit * (1.0 + 1e-9)) * unit)


def tell_of_triangles(scene: Scene, sim: StepperSimulator, tell: bool) -> None:
    """Warn of two bodies that touch each other with triangle meshes (valid for shallow depths)."""
    collider = sim.world.collider
    shapes = (
        () if collider is None or not tell else cast("Sequence[CollisionShape]", collider.shapes)
    )
    hollow = [s for s in shapes if type(s.geometry).__name__ in ("TriangleMesh", "HeightField")]
    bodies = list(dict.fromkeys(s.body for s in sorted(hollow, key=lambda s: s.link < 0)))
    if len(bodies) > 1 and any(s.link >= 0 for s in hollow):
        one, other, *_ = bodies
        warnings.warn(
            f"{one} and {other} touch with triangle meshes: contacts are right only while they are "
            "less deep than the triangles are large "
            '(use = "hull", or convex parts, is right at any depth)',
            RobotWarning,
            stacklevel=3,
        )

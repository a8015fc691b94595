"""Loops must close where a simulation starts, or be made to."""

from __future__ import annotations

import numpy as np

from footfall.errors import RobotError
from footfall.model.loop import AXES, JointCoupling, Loop
from footfall.simulation.simulator import Simulator
from footfall.stepping.loops import EliminatedLoops

MEETS = 1e-6
"""Gap up to which ends are taken to meet, [m, rad]; the first step closes the rest."""


def close_at_start(sim: Simulator) -> None:
    """Check that every loop closes at the start; move the posture where ``project`` asks for it.

    Args:
        sim: not yet stepped.

    Raises:
        RobotError: for the first loop that is open, or that no posture near the given one closes.
    """
    chains = sim.stepper.chains
    if not isinstance(chains, EliminatedLoops):
        return
    if any(loop.project for body in sim.world.bodies for loop in body.loops):
        chains.assemble(sim.stepper.evaluate, sim.time_step)
        sim.observe_start()
    row = 0
    for body in sim.world.bodies:
        for loop in body.loops:
            rows = len(AXES[loop.kind])
            gap = sim.world.loops.gap[row : row + rows]
            if np.abs(gap).max() > MEETS:
                raise RobotError(f"{loop.where}: {_open(loop, body.name)} {_tell(loop, gap)}")
            row += rows


def _open(loop: Loop | JointCoupling, body: str) -> str:
    what = f'"{loop.name}" of {body}'
    if loop.project:
        return f"no posture near the given one closes {what}; the one found leaves it open by"
    return f"{what} is open at the start (give another posture, or project = true), by"


def _tell(loop: Loop | JointCoupling, gap: np.ndarray) -> str:
    """Return the gap in words."""
    if isinstance(loop, JointCoupling):
        return f"{gap[0]:.3g} rad or m"
    position = f"{np.linalg.norm(gap[:3]):.3g} m"
    return position if loop.kind == "point" else f"{position}, {np.linalg.norm(gap[3:]):.3g} rad"

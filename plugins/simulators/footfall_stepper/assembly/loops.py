"""Closed loops of a scene's robots: their ends on the trees, closed at the start."""

from __future__ import annotations

import numpy as np

from footfall.errors import RobotError
from footfall.interfaces.engine import Tree
from footfall.model.loops import AXES, JointCoupling, Loop
from footfall.model.robot import Robot
from footfall.typing import Floats
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.loops import EliminatedLoops


def find_loops(robot: Robot, tree: Tree, q: Floats, v: Floats) -> tuple[Loop | JointCoupling, ...]:
    """Return the loops that close a robot's chains; evaluates the tree at the start and at zero.

    Args:
        robot: the robot.
        tree: loaded from it; left evaluated at the start.
        q: shape (nq,), positions at the start.
        v: shape (nv,), velocities at the start.

    Raises:
        RobotError: if a frame or joint does not exist; suggests the nearest.
    """
    zero = np.zeros_like(q)
    if tree.model.base == "floating":
        zero[6] = 1.0  # of the quaternion
    tree.evaluate(zero, np.zeros_like(v))
    at_zero = tree.pose.copy()
    tree.evaluate(q, v)
    return robot.loops(tree.model, tree.pose, at_zero)


MEETS = 1e-6
"""Gap up to which ends count as closed, [m, rad]; the first step closes the rest."""


def close_at_start(sim: StepperSimulator) -> None:
    """Check that every loop closes at the start; move the posture if ``project`` is set.

    Args:
        sim: before its first step.

    Raises:
        RobotError: for the first loop that is open, or that cannot be closed near the posture.
    """
    chains = sim.stepper.chains
    if not isinstance(chains, EliminatedLoops):
        return
    if any(loop.project for body in sim.world.bodies for loop in body.loops):
        chains.close_posture(sim.stepper.evaluate, sim.time_step)
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
    return f"{what} is open at the start (change the posture, or set project = true), by"


def _tell(loop: Loop | JointCoupling, gap: np.ndarray) -> str:
    """Return the gap in words."""
    if isinstance(loop, JointCoupling):
        return f"{gap[0]:.3g} rad or m"
    position = f"{np.linalg.norm(gap[:3]):.3g} m"
    return position if loop.kind == "point" else f"{position}, {np.linalg.norm(gap[3:]):.3g} rad"

"""Find where the ends of a robot's loops are on its tree."""

from __future__ import annotations

import numpy as np

from footfall.interfaces.engine import Tree
from footfall.model.loop import JointCoupling, Loop
from footfall.model.robot import Robot
from footfall.typing import Floats


def find_loops(robot: Robot, tree: Tree, q: Floats, v: Floats) -> tuple[Loop | JointCoupling, ...]:
    """Return what closes a robot's chains; evaluates the tree at the start and at zero.

    Args:
        robot: the robot.
        tree: loaded from it; left evaluated at the start.
        q: shape (nq,), positions at the start.
        v: shape (nv,), velocities at the start.

    Raises:
        RobotError: if a frame or joint does not exist; offers the nearest.
    """
    zero = np.zeros_like(q)
    if tree.model.base == "floating":
        zero[6] = 1.0  # of the quaternion
    tree.evaluate(zero, np.zeros_like(v))
    at_zero = tree.pose.copy()
    tree.evaluate(q, v)
    return robot.loops(tree.model, tree.pose, at_zero)

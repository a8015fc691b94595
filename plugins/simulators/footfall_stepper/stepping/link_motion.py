"""Predicted motion of links over a step, without contacts."""

from __future__ import annotations

import numpy as np

from footfall.typing import Floats
from footfall.world.arrays import Dynamics, Topology
from footfall_stepper.collision.kernels.motion import MotionRow
from footfall_stepper.collision.swept import LinkMotion


def predicted_motion(topology: Topology, dynamics: Dynamics, link: int, dt: float) -> LinkMotion:
    """Return the motion of a link: that of its floating base, after a screw relative to the base.

    Exact for a rigid body in flight whose angular velocity is constant, and for a link on one joint
    of a fixed base that moves at a constant speed.

    Args:
        topology: of the world.
        dynamics: poses, and velocities with and without the forces of a step.
        link: global link; -1 for the environment, at rest.
        dt: length of the step, [s].
    """
    rows = np.zeros((len(MotionRow), 3))
    if link < 0:
        return LinkMotion(rows, 0.0, 0.0)
    now, later, tree = dynamics.twist, dynamics.free_twist, int(topology.link_tree[link])
    own = 0.5 * (now[link] + later[link])
    if topology.floating[tree]:
        root = int(topology.root_link[tree])
        mean, pose = 0.5 * (now[root] + later[root]), dynamics.pose[root]
        c = topology.com[root] @ pose[:9].reshape(3, 3) + pose[9:]
        v, end = _at(now[root], c), _at(later[root], c)
        rows[MotionRow.BASE_TURN : MotionRow.TURN] = mean[3:], c, v, (end - v) / dt
        own = own - mean
    w = own[3:]
    rows[MotionRow.TURN] = w
    if w.any():
        rows[MotionRow.CENTRE] = (_at(own, own[:3]) - own[:3]) / (w @ w)
    rows[MotionRow.VELOCITY] = _at(own, rows[MotionRow.CENTRE])
    sizes = np.linalg.norm(rows, axis=1)
    turning = float(sizes[MotionRow.BASE_TURN] + sizes[MotionRow.TURN])
    return LinkMotion(rows, turning, float(sizes[MotionRow.BASE_ACCELERATION]))


def _at(twist: Floats, x: Floats) -> Floats:
    """Return the velocity of a twist (6,), v at the world's origin and w, at x (3,)."""
    a, b, c = twist[3:].tolist()
    x0, x1, x2 = x.tolist()
    turned = np.array((b * x2 - c * x1, c * x0 - a * x2, a * x1 - b * x0))
    v: Floats = twist[:3] + turned
    return v

"""Write ``model.urdf``: the Allegro hand of Wonik Robotics, right, out of boxes and balls.

Run ``python make_model.py`` after a change. Joints, their limits, masses and the sizes of what
touches are those of the description in ``example-robot-data`` (``allegro_right_hand.urdf``; a test
compares where the tips come). Inertias are not: four of its links have moments that no body can
have, so here each link is a solid of uniform density. Nor are torques and friction of joints, of
which it gives 15 and 12 N m.

At zero position the palm looks along x and fingers point along z; a positive angle bends towards
the palm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall_robots.primitives import Drive, Part, Solid, Vector, X, Y, Z, write_model

COLORS = {"shell": "0.20 0.20 0.22 1", "rubber": "0.90 0.90 0.90 1"}
WIDTH, DEPTH = 0.0275, 0.0196
"""Of a finger, along y and x, [m]."""
TIP = 0.012
"""Radius of a finger's tip, [m]."""
TIP_MASS = 0.0168
"""[kg]"""
EFFORT, SPEED, DAMPING = 0.7, 7.0, 0.05
"""Of each joint: [N m], [rad/s], [N m s/rad]; those of the robot ``hand``, but for the last."""

Bone = tuple[str, Vector, tuple[float, float], float, float]
"""Joint, axis, limits [rad], length of the link [m] and its mass [kg]."""
FINGER: tuple[Bone, ...] = (
    ("aside", Z, (-0.47, 0.47), 0.0164, 0.0119),
    ("bend1", Y, (-0.196, 1.61), 0.054, 0.065),
    ("bend2", Y, (-0.174, 1.709), 0.0384, 0.0355),
    ("bend3", Y, (-0.227, 1.618), 0.0267, 0.0096),
)
"""From the palm on."""
THUMB: tuple[Bone, ...] = (
    ("turn", Z, (-0.105, 1.163), 0.0177, 0.0119),
    ("bend1", Y, (-0.189, 1.644), 0.0514, 0.038),
    ("bend2", Y, (-0.162, 1.719), 0.0423, 0.0388),
)
"""Behind the joint that opposes it."""


def drive(limits: tuple[float, float]) -> Drive:
    """Return a joint's limits."""
    return Drive(*limits, effort=EFFORT, velocity=SPEED, damping=DAMPING)


def chain(name: str, parent: str, at: Vector, rpy: Vector, bones: Sequence[Bone]) -> list[Part]:
    """Return links that end in a ball; ``at`` [m] and ``rpy`` [rad] place the first joint."""
    parts: list[Part] = []
    for number, (joint, axis, limits, length, mass) in enumerate(bones, 1):
        bone = Solid("box", (DEPTH, WIDTH, length), mass, (0.0, 0.0, 0.5 * length))
        link, carrier = f"{name}_{number}", parts[-1].name if parts else parent
        parts.append(
            Part(link, carrier, at, (bone,), f"{name}_{joint}", axis, drive(limits), rpy=rpy)
        )
        at, rpy = (0.0, 0.0, length), (0.0, 0.0, 0.0)
    ball = Solid("sphere", (TIP,), TIP_MASS, color="rubber")
    return [*parts, Part(f"{name}_tip", parts[-1].name, at, (ball,), f"{name}_tip_fixed")]


def model() -> list[Part]:
    """Return all parts, the palm first."""
    palm = Solid("box", (0.0408, 0.113, 0.095), 0.4154, (-0.0093, 0.0, -0.0475))
    parts = [Part("palm", "", (0.0, 0.0, 0.0), (palm,))]
    spread = np.radians(5.0)
    for name, side in (("index", 1.0), ("middle", 0.0), ("ring", -1.0)):
        at = (0.0, 0.0435 * side, -0.001542 if side else 0.0007)
        parts += chain(name, "palm", at, (-spread * side, 0.0, 0.0), FINGER)
    root = Solid("box", (0.0358, 0.034, 0.0455), 0.0176, (-0.0179, 0.009, 0.0145))
    turn = (0.0, -np.radians(95.0), -np.pi / 2)
    against = (-X[0], X[1], X[2])
    parts.append(
        Part(
            "thumb_root", "palm", (-0.0182, 0.019333, -0.045987), (root,),
            "thumb_oppose", against, drive((0.263, 1.396)), rpy=turn,
        )
    )  # fmt: skip
    return parts + chain("thumb", "thumb_root", (-0.027, 0.005, 0.0399), (0.0, 0.0, 0.0), THUMB)


if __name__ == "__main__":
    write_model(__file__, "allegro", model(), COLORS)

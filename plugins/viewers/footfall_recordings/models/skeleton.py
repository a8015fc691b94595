"""Links and joints of a body with all joints at zero, for any model format and engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from footfall import Body
from footfall.api.engine import Pose
from footfall.api.plugin import Floats

POINT = 1e-6
"""Radius of the ball that replaces a contact point, [m]."""
RIM = 1e-6
"""Half the thickness of the disc that replaces a rim, [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """A joint with one degree of freedom.

    Attributes:
        name: name of the joint.
        kind: ``hinge`` or ``slide``.
        direction: shape (3,), unit axis, in the frame of the moved link.
        dof: index of the joint among the tree's joints.
    """

    name: str
    kind: Literal["hinge", "slide"]
    direction: Floats
    dof: int


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link with the joint that moves it.

    Attributes:
        name: name of the link.
        parent: index of the parent link, -1 for the base.
        pose: in the base's frame, all joints at zero.
        joint: None for the base.
        mass: [kg].
        com: shape (3,), [m], link frame.
        inertia: shape (3, 3), about the centre of mass, link axes, [kg m^2].
    """

    name: str
    parent: int
    pose: Pose
    joint: Axis | None
    mass: float
    com: Floats
    inertia: Floats

    @property
    def is_massless(self) -> bool:
        """True if the link has neither mass nor inertia."""
        return self.mass == 0.0 and not self.inertia.any()


def skeleton(body: Body) -> tuple[Link, ...]:
    """Return the links of a body, the base first, each after its parent.

    Poses and axes are for all joints at zero. The axis a comes from the twist of joint k,
    ``S[k] = (v, w)``: ``w = a`` for a hinge, and ``v = a, w = 0`` for a slide.
    """
    model, offset = body.model, body.joint_offset
    poses, twists = [Pose.identity()], np.zeros((0, 6))
    if body.tree is not None:
        q = np.zeros(model.nq)
        q[6 : 6 + bool(offset)] = 1.0
        body.tree.evaluate(q, np.zeros(model.nv))
        poses = [Pose(row[:9].reshape(3, 3).T.copy(), row[9:].copy()) for row in body.tree.pose]
        twists = body.tree.S[offset:].copy()
    links = []
    for k, pose in enumerate(poses):
        joint, parent = None, -1
        if k > 0:
            turns = float(np.linalg.norm(twists[k - 1, 3:])) > 0.5
            axis = twists[k - 1, 3:] if turns else twists[k - 1, :3]
            kind: Literal["hinge", "slide"] = "hinge" if turns else "slide"
            joint = Axis(model.joint_names[k - 1], kind, pose.rotation.T @ axis, k - 1)
            parent = max(int(model.dof_parent[offset + k - 1]) - offset + 1, 0)
        links.append(
            Link(
                name=model.link_names[k],
                parent=parent,
                pose=pose,
                joint=joint,
                mass=float(model.link_mass[k]),
                com=model.link_com[k],
                inertia=model.link_inertia[k],
            )
        )
    return tuple(links)


def children(links: Sequence[Link]) -> list[list[int]]:
    """Return the indices of each link's children, in order."""
    found: list[list[int]] = [[] for _ in links]
    for k, link in enumerate(links):
        if link.parent >= 0:
            found[link.parent].append(k)
    return found


def base_pose(body: Body, q: Floats) -> Pose:
    """Return the pose of a body's base in the world at positions q, shape (nq,)."""
    if not body.joint_offset:
        return Pose.identity()
    x, y, z, w = q[3:7] / np.linalg.norm(q[3:7])
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return Pose(rotation, q[:3].copy())


def upright(axis: Floats) -> Floats:
    """Return a rotation, shape (3, 3), that turns z to a unit vector."""
    side = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(side, axis)
    x /= np.linalg.norm(x)
    return np.eye(3) if axis[2] == 1.0 else np.column_stack([x, np.cross(axis, x), axis])

"""A robot in a posture: positions of its links, its centre of mass and its joints' axes."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.engine import Tree
from footfall.api.geometry import Pose
from footfall.api.plugin import Floats, Ints

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
"""Quaternion x y z w of the world's axes."""

UPRIGHT_PLANE = 0.1
"""Cosine between the vertical and a plane's normal below which the plane stands, [-]."""


class Stance:
    """A tree at rest, its root at the origin, placed anew for each posture.

    Attributes:
        tree: the engine's tree.
        first: the dof of the first joint, six behind a base that moves.
        base_dofs: the dofs that the base is free to move in: all six, three of one that stays in
            its x-z plane, none of one that is fixed.
        planar: whether it stays in its x-z plane.
        parent: shape (links,), link that carries each link, -1 for the base.
        joints: shape (joints,), the joints' positions, [rad or m].
        lower, upper: shape (joints,), within which a posture is looked for, [rad or m].
    """

    def __init__(
        self,
        tree: Tree,
        quaternion: tuple[float, float, float, float] = UPRIGHT,
        *,
        planar: bool = False,
    ) -> None:
        """Place the tree at zero positions.

        Args:
            tree: the engine's tree.
            quaternion: of a floating base, x y z w.
            planar: whether what floats in the tree is held in its x-z plane.
        """
        self.tree, self.model = tree, tree.model
        self._base = np.array([0.0, 0.0, 0.0, *np.array(quaternion) / np.linalg.norm(quaternion)])
        if self.model.base == "fixed":
            self._base = np.zeros(0)
        self.first = self.model.nv - len(self.model.joint_names)
        self.base_dofs = [0, 2, 4] if planar else list(range(self.first))
        self.planar = planar
        self.parent = self._parents()
        self.lower, self.upper = self.model.position_lower.copy(), self.model.position_upper.copy()
        self.place(np.zeros(len(self.model.joint_names)))

    def place(self, joints: Floats) -> None:
        """Put the joints, shape (joints,), [rad or m], at positions."""
        self.joints = np.array(joints, float)
        self.tree.evaluate(np.concatenate([self._base, self.joints]), np.zeros(self.model.nv))

    @property
    def upright(self) -> bool:
        """Whether the base can come down: of a planar one whether its plane stands."""
        return not self.planar or abs(self.link(0).rotation[2, 1]) < UPRIGHT_PLANE

    def displace(self, step: Floats) -> None:
        """Evaluate the tree a small step away from the posture, at rest.

        Args:
            step: shape (nv,), along the dofs, of the base in its frame, [m] and [rad].
        """
        base = self._base.copy()
        if len(base):
            turn = Rotation.from_quat(base[3:])
            base[:3] += turn.apply(step[:3])
            base[3:] = (turn * Rotation.from_rotvec(step[3:6])).as_quat()
        q = np.concatenate([base, self.joints + step[self.first :]])
        self.tree.evaluate(q, np.zeros(self.model.nv))

    def link(self, index: int) -> Pose:
        """Return the placement of a link of the tree in the world."""
        pose = self.tree.pose[index]
        return Pose(pose[:9].reshape(3, 3).T.copy(), pose[9:].copy())

    def frame(self, name: str) -> Pose:
        """Return the placement of a named frame in the world."""
        frame = self.model.frames[name]
        return self.link(frame.link) @ Pose(frame.rotation, frame.translation)

    def com(self) -> Floats:
        """Return the centre of mass, shape (3,), [m]."""
        return self.moved_by(0)[1]

    def moved_by(self, link: int) -> tuple[float, Floats]:
        """Return mass [kg] and centre of mass (3,) [m] of a link and all that it carries."""
        mass, moment = 0.0, np.zeros(3)
        for k in self.carried(link):
            mass += float(self.model.link_mass[k])
            moment += self.model.link_mass[k] * self.link(k).apply(self.model.link_com[k])
        return mass, moment / mass if mass > 0.0 else self.link(link).translation

    def carried(self, link: int) -> list[int]:
        """Return a link and those that it carries."""
        found = [link]
        for k in range(link + 1, self.model.n_links):
            if self.parent[k] in found:
                found.append(k)
        return found

    def path(self, link: int) -> list[int]:
        """Return the joints between the base and a link."""
        joints = []
        while link > 0:
            joints.append(link - 1)
            link = int(self.parent[link])
        return joints[::-1]

    def _parents(self) -> Ints:
        """Return the carrying link of each: joint k moves link k + 1 by the dof ``first + k``."""
        parent = np.full(self.model.n_links, -1, np.int64)
        for k in range(1, self.model.n_links):
            dof = int(self.model.dof_parent[self.first + k - 1])
            parent[k] = max(dof - self.first + 1, 0)
        return parent

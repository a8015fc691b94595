"""A robot in a posture: poses of its links, its centre of mass and its joints."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.engine import Pose, Tree
from footfall.api.plugin import Floats, Ints

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
"""Quaternion x y z w of the world's axes."""

UPRIGHT_PLANE = 0.1
"""Cosine between the vertical and a plane's normal below which the plane is upright, [-]."""


class Stance:
    """A tree at rest with its root at the origin; it can be placed in any posture.

    Attributes:
        tree: the engine's tree.
        first: dof of the first joint: 6 with a moving base, else 0.
        base_dofs: free dofs of the base: six if floating, three if planar, none if fixed.
        planar: True if the base stays in its x-z plane.
        parent: shape (links,), parent of each link, -1 for the base.
        moves: shape (links, joints), True if a joint moves a link.
        joints: shape (joints,), joint positions, [rad or m].
        lower, upper: shape (joints,), bounds of the posture search, [rad or m].
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
            quaternion: orientation of a floating base, x y z w.
            planar: True if the tree's floating base is held in its x-z plane.
        """
        self.tree, self.model = tree, tree.model
        self._base = np.array([0.0, 0.0, 0.0, *np.array(quaternion) / np.linalg.norm(quaternion)])
        if self.model.base == "fixed":
            self._base = np.zeros(0)
        self.first = self.model.nv - len(self.model.joint_names)
        self.base_dofs = [0, 2, 4] if planar else list(range(self.first))
        self.planar = planar
        self.parent = self._parents()
        self.moves = np.zeros((self.model.n_links, self.model.nv - self.first), bool)
        for k in range(1, self.model.n_links):
            self.moves[k, self.path(k)] = True
        self.lower, self.upper = self.model.position_lower.copy(), self.model.position_upper.copy()
        self.place(np.zeros(len(self.model.joint_names)))

    def place(self, joints: Floats) -> None:
        """Set the joint positions, shape (joints,), [rad or m]."""
        self.joints = np.array(joints, float)
        self.tree.evaluate(np.concatenate([self._base, self.joints]), np.zeros(self.model.nv))

    @property
    def upright(self) -> bool:
        """True if the base can fall: it is not planar, or its plane is upright."""
        return not self.planar or abs(self.link(0).rotation[2, 1]) < UPRIGHT_PLANE

    def displace(self, step: Floats) -> None:
        """Evaluate the tree a small step away from the posture, at rest.

        Args:
            step: shape (nv,), along the dofs, [m] and [rad]; those of the base in its own frame.
        """
        base = self._base.copy()
        if len(base):
            turn = Rotation.from_quat(base[3:])
            base[:3] += turn.apply(step[:3])
            base[3:] = (turn * Rotation.from_rotvec(step[3:6])).as_quat()
        q = np.concatenate([base, self.joints + step[self.first :]])
        self.tree.evaluate(q, np.zeros(self.model.nv))

    def link(self, index: int) -> Pose:
        """Return the pose of a link of the tree in the world."""
        pose = self.tree.pose[index]
        return Pose(pose[:9].reshape(3, 3).T.copy(), pose[9:].copy())

    def frame(self, name: str) -> Pose:
        """Return the pose of a named frame in the world."""
        frame = self.model.frames[name]
        return self.link(frame.link) @ Pose(frame.rotation, frame.translation)

    def com(self) -> Floats:
        """Return the centre of mass, shape (3,), [m]."""
        mass, moment = float(self.model.link_mass.sum()), self._moments().sum(axis=0)
        return moment / mass if mass > 0.0 else self.link(0).translation

    def _moments(self) -> Floats:
        """Return mass times centre of mass of each link, shape (links, 3), [kg m]."""
        columns = self.tree.pose[:, :9].reshape(-1, 3, 3)  # of the rotations
        centers = np.einsum("kji,kj->ki", columns, self.model.link_com) + self.tree.pose[:, 9:]
        moments: Floats = self.model.link_mass[:, None] * centers
        return moments

    def jacobian(self, link: int, point: Floats) -> Floats:
        """Return the velocity of a link's point per joint rate, shape (3, joints), [m or -].

        Args:
            link: index of the link.
            point: shape (3,), place of the point in the world, [m].
        """
        linear, angular = np.split(self.tree.S[self.first :], 2, axis=1)
        found: Floats = ((linear + np.cross(angular, point)) * self.moves[link][:, None]).T
        return found

    def turning(self, link: int) -> Floats:
        """Return the angular velocity of a link per joint rate, shape (3, joints), [-]."""
        turns: Floats = (self.tree.S[self.first :, 3:] * self.moves[link][:, None]).T
        return turns

    def com_jacobian(self) -> Floats:
        """Return the velocity of the centre of mass per joint rate, shape (3, joints), [m or -]."""
        linear, angular = np.split(self.tree.S[self.first :], 2, axis=1)
        mass, moment = self.moves.T @ self.model.link_mass, self.moves.T @ self._moments()
        moved: Floats = (linear * mass[:, None] + np.cross(angular, moment)).T
        return moved / self.model.mass

    def carried(self, link: int) -> list[int]:
        """Return a link and its descendants."""
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
        """Return each link's parent; joint k moves link k + 1 with the dof ``first + k``."""
        parent = np.full(self.model.n_links, -1, np.int64)
        for k in range(1, self.model.n_links):
            dof = int(self.model.dof_parent[self.first + k - 1])
            parent[k] = max(dof - self.first + 1, 0)
        return parent

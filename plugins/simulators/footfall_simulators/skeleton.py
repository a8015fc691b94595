"""Skeleton of a world for simulators and exporters: links, joints, contacts, and the ground.

Frames and axes come from the engine's evaluation at zero joint positions, so they do not depend on
the format of the robot's file: link frames ``T``, and ``S`` with the twist of each joint. A hinge
with the twist (v, w) is at ``w x v / |w|^2``. Inertias are those of the merged links.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall.api.viewer import Ground
from footfall.api.world import HalfSpace
from footfall_stepper.api import Assembly, Body, CandidateKind, Collider, Geometry, Solid, World

LEAST = 1e-12
"""Smallest mass [kg] and inertia [kg m^2] of a link: no simulator accepts zero."""
XX_TO_YZ = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
"""Indices of xx yy zz xy xz yz in a symmetric matrix."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The joint that carries a link; its position counts from the link's current pose.

    Attributes:
        name: name of the joint.
        number: number of the joint in its body.
        dof: global velocity dof.
        kind: ``hinge`` or ``slide``.
        axis: shape (3,), unit vector, link frame.
        anchor: shape (3,), the point of a hinge's axis nearest to the link's origin, link frame,
            [m]; zero for a slide.
        limits: shape (2,), lower and upper, [rad or m]; infinite if there is none.
        friction: Coulomb friction, [N m or N].
    """

    name: str
    number: int
    dof: int
    kind: Literal["hinge", "slide"]
    axis: Floats
    anchor: Floats
    limits: Floats
    friction: float


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link at its pose with all joints at zero.

    Attributes:
        name: name of the link.
        parent: index of the parent link in its body; -1 for the base.
        pose: in the axes of the base, or in the world if the base is fixed.
        joint: joint that carries it; None for a base.
        mass: mass, [kg].
        com: shape (3,), centre of mass, link frame, [m].
        inertia: shape (3, 3), about the centre of mass, link axes, [kg m^2].
    """

    name: str
    parent: int
    pose: Pose
    joint: Joint | None
    mass: float
    com: Floats
    inertia: Floats

    @property
    def is_massless(self) -> bool:
        """True if the link has neither mass nor inertia."""
        return self.mass == 0.0 and not self.inertia.any()

    def with_mass(self) -> Link:
        """Return the link with at least ``LEAST`` of mass and inertia."""
        more = LEAST if np.linalg.eigvalsh(self.inertia)[0] < LEAST else 0.0
        return replace(self, mass=max(self.mass, LEAST), inertia=self.inertia + more * np.eye(3))


def placed_in(outer: Pose, inner: Pose) -> Pose:
    """Return a pose relative to another one."""
    back = outer.rotation.T
    return Pose(back @ inner.rotation, back @ (inner.translation - outer.translation))


def links(world: World, index: int) -> list[Link]:
    """Return the links of a body, parents first."""
    body = world.bodies[index]
    model, (poses, S) = body.model, _frames(body)
    found: list[Link] = []
    of_dof = {int(dof): k for k, dof in enumerate(model.link_dof)}
    for k, pose in enumerate(poses):
        dof = int(model.link_dof[k])
        found.append(
            Link(
                model.link_names[k],
                of_dof[int(model.dof_parent[dof])] if k > 0 else -1,
                pose,
                _joint(world, index, dof - body.joint_offset, pose, S[dof]) if k > 0 else None,
                float(model.link_mass[k]),
                model.link_com[k],
                model.link_inertia[k],
            )
        )
    return found


def _frames(body: Body) -> tuple[list[Pose], Floats]:
    """Return the poses of a body's links, and the twists S of its dofs, with joints at zero."""
    if body.tree is None:
        return [Pose.identity()], np.zeros((6, 6))
    q = np.zeros(body.model.nq)
    q[6 : 7 if body.model.base == "floating" else 6] = 1.0
    body.tree.evaluate(q, np.zeros(body.model.nv))
    poses = [Pose(row[:9].reshape(3, 3).T, row[9:]) for row in body.tree.pose.copy()]
    return poses, body.tree.S.copy()


def _joint(world: World, index: int, number: int, pose: Pose, twist: Floats) -> Joint:
    body, R = world.bodies[index], pose.rotation
    linear, angular = twist[:3], twist[3:]
    hinge, anchor = float(angular @ angular) > 0.0, np.zeros(3)
    axis = R.T @ (angular if hinge else linear)
    axis /= np.linalg.norm(axis)
    if hinge:
        anchor = R.T @ (np.cross(angular, linear) / (angular @ angular) - pose.translation)
        anchor -= (anchor @ axis) * axis
    limits = body.position_limits
    return Joint(
        body.model.joint_names[number],
        number,
        int(world.topology.tree_v[index]) + body.joint_offset + number,
        "hinge" if hinge else "slide",
        axis,
        anchor,
        limits[number] if len(limits) else np.array([-np.inf, np.inf]),
        float(body.joint_friction[number]) if len(body.joint_friction) else 0.0,
    )


def bases_and_joints(world: World) -> Iterator[tuple[str, int, int]]:
    """Yield name (``index/base``, ``index/joint``), first q and first dof of bases and joints."""
    for index, body in enumerate(world.bodies):
        at, dof = int(world.topology.tree_q[index]), int(world.topology.tree_v[index])
        if body.joint_offset:
            yield f"{index}/base", at, dof
            at, dof = at + 7, dof + 6
        for joint in range(len(body.model.joint_names)):
            yield f"{index}/{joint}", at + joint, dof + joint


def declared(world: World) -> Iterator[tuple[int, int]]:
    """Yield declared contacts (of a rim only the first point), and their kinds."""
    kinds = world.candidates.kind
    for c, name in enumerate(world.contact_names):
        if kinds[c] != CandidateKind.RIM or name.rpartition("/")[2] == "0":
            yield c, int(kinds[c])


def first_of_rim(candidates: Any, c: int) -> int:
    """Return the first point of the rim that a contact belongs to, or else the contact itself."""
    if int(candidates.kind[c]) < CandidateKind.RIM:
        return c
    turns = round(float(candidates.phase[c]) * 3.0 / (2.0 * np.pi))
    return c - turns


def nearest_of_rim(candidates: Any, c: int, position: Floats) -> int:
    """Return the point of a rim nearest to a position, given the rim's first point."""
    if int(candidates.kind[c]) < CandidateKind.RIM:
        return c
    away = candidates.position[c : c + 3] - position
    return c + int(np.argmin(np.einsum("ni,ni->n", away, away)))


def turned_to(axis: Floats) -> Floats:
    """Return a rotation whose third column is a unit vector, shape (3, 3)."""
    return Pose.facing(axis, np.zeros(3)).rotation


def grounds(made: Assembly, simulator: str) -> list[tuple[Geometry, Pose]]:
    """Return the ground for declared contacts: its solids, or a half-space if it is a plane.

    Raises:
        SceneError: if it is neither.
    """
    terrain = made.physics.terrain
    solids: list[tuple[Geometry, Pose]] = [(s.geometry, s.pose) for s in terrain.solids()]
    if solids:
        return solids
    plane = terrain.grounds()[0]
    if not isinstance(plane, Ground):
        title = f'the ground "{made.scene.world.terrain.plugin}" has no shape for {simulator}'
        raise made.scene.error(f"{title} (has it patches?)", "world", "terrain", "plugin")
    return [(HalfSpace(), Pose.facing(plane.normal, plane.offset * plane.normal))]


def tested(collider: Collider) -> Iterator[tuple[Solid, Solid]]:
    """Yield the pairs of shapes that Footfall's detector tests; a fixed one comes first."""
    for one, other in collider.tested():
        yield (other, one) if other.link < 0 else (one, other)

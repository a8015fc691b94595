"""Description of a world for another simulator: links, joints, contacts, and the ground.

Frames and axes come from the engine's evaluation at zero joint positions, so they do not depend on
the format of the robot's file: link frames ``T``, and ``S`` with the twist of each joint. A hinge
with the twist (v, w) is at ``w x v / |w|^2``. Inertias are those of the merged links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall.api.viewer import Ground
from footfall.api.world import HalfSpace
from footfall_stepper.api import Assembly, CandidateKind

LEAST = 1e-12
"""Smallest mass [kg] and inertia [kg m^2] of a link: no simulator accepts zero."""
XX_TO_YZ = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
"""Indices of xx yy zz xy xz yz in a symmetric matrix."""


@dataclass(frozen=True)
class Joint:
    """The joint that carries a link; its position counts from the link's current pose.

    Attributes:
        number: number of the joint in its body.
        dof: global velocity dof.
        hinge: whether it is a hinge; otherwise a slide.
        axis: shape (3,), unit vector, link frame.
        anchor: shape (3,), the point of a hinge's axis nearest to the link's origin, link frame,
            [m]; zero for a slide.
        limits: shape (2,), lower and upper, [rad or m]; infinite if there is none.
        friction: Coulomb friction, [N m or N].
    """

    number: int
    dof: int
    hinge: bool
    axis: Floats
    anchor: Floats
    limits: Floats
    friction: float


@dataclass(frozen=True)
class Link:
    """A link at its pose with all joints at zero.

    Attributes:
        name: ``body index/link``.
        parent: index of the parent link in its body; -1 for the world.
        rotation: shape (3, 3), from its axes to those of the parent.
        position: shape (3,), position of its origin in the parent's frame, [m].
        mass: mass, [kg].
        com: shape (3,), centre of mass, link frame, [m].
        inertia: shape (3, 3), about the centre of mass, link axes, [kg m^2].
        joint: joint that carries it; None for a base.
        free: whether it is a floating base.
    """

    name: str
    parent: int
    rotation: Floats
    position: Floats
    mass: float
    com: Floats
    inertia: Floats
    joint: Joint | None
    free: bool


def links(world: Any, index: int) -> Iterator[Link]:
    """Yield the links of a body, parents first."""
    body, (poses, S) = world.bodies[index], _frames(world, index)
    model = body.model
    of_dof: dict[int, int] = {}
    for link, pose in enumerate(poses):
        dof = int(model.link_dof[link])
        parent = of_dof[int(model.dof_parent[dof])] if link > 0 else -1
        outer = poses[parent] if link > 0 else np.append(np.eye(3).ravel(), np.zeros(3))
        of_dof[dof] = link
        A, B = outer[:9].reshape(3, 3).T, pose[:9].reshape(3, 3).T
        inertia = model.link_inertia[link]
        yield Link(
            f"{index}/{link}",
            parent,
            A.T @ B,
            A.T @ (pose[9:] - outer[9:]),
            max(float(model.link_mass[link]), LEAST),
            model.link_com[link],
            inertia + (LEAST if np.linalg.eigvalsh(inertia)[0] < LEAST else 0.0) * np.eye(3),
            _joint(world, index, dof - body.joint_offset, pose, S[dof]) if link > 0 else None,
            link == 0 and body.joint_offset > 0,
        )


def _frames(world: Any, index: int) -> tuple[Floats, Floats]:
    """Return link frames and twists of a body with its joints at zero.

    Returns:
        Poses of the links, shape (links, 12), in the axes of the base, or in the world if the base
        is fixed; twists S of the dofs in the same axes, shape (nv, 6).
    """
    body = world.bodies[index]
    if body.tree is None:
        return np.append(np.eye(3).ravel(), np.zeros(3)).reshape(1, 12), np.zeros((6, 6))
    q = np.zeros(body.model.nq)
    q[6 : 7 if body.model.base == "floating" else 6] = 1.0
    body.tree.evaluate(q, np.zeros(body.model.nv))
    return body.tree.pose.copy(), body.tree.S.copy()


def _joint(world: Any, index: int, number: int, pose: Floats, twist: Floats) -> Joint:
    body, R = world.bodies[index], pose[:9].reshape(3, 3).T
    linear, angular = twist[:3], twist[3:]
    hinge, anchor = float(angular @ angular) > 0.0, np.zeros(3)
    axis = R.T @ (angular if hinge else linear)
    axis /= np.linalg.norm(axis)
    if hinge:
        anchor = R.T @ (np.cross(angular, linear) / (angular @ angular) - pose[9:])
        anchor -= (anchor @ axis) * axis
    limits = body.position_limits
    return Joint(
        number,
        int(world.topology.tree_v[index]) + body.joint_offset + number,
        hinge,
        axis,
        anchor,
        limits[number] if len(limits) else np.array([-np.inf, np.inf]),
        float(body.joint_friction[number]) if len(body.joint_friction) else 0.0,
    )


def bases_and_joints(world: Any) -> Iterator[tuple[str, int, int]]:
    """Yield name (``index/base``, ``index/joint``), first q and first dof of bases and joints."""
    for index, body in enumerate(world.bodies):
        at, dof = int(world.topology.tree_q[index]), int(world.topology.tree_v[index])
        if body.joint_offset:
            yield f"{index}/base", at, dof
            at, dof = at + 7, dof + 6
        for joint in range(len(body.model.joint_names)):
            yield f"{index}/{joint}", at + joint, dof + joint


def declared(world: Any) -> Iterator[tuple[int, int]]:
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
    across = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(across, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def grounds(made: Assembly, simulator: str) -> list[tuple[Any, Pose]]:
    """Return the ground for declared contacts: its solids, or a half-space if it is a plane.

    Raises:
        SceneError: if it is neither.
    """
    terrain = made.physics.terrain
    solids: list[tuple[Any, Pose]] = [(s.geometry, s.pose) for s in terrain.solids()]
    if solids:
        return solids
    plane = terrain.grounds()[0]
    if not isinstance(plane, Ground):
        title = f'the ground "{made.scene.world.terrain.plugin}" has no shape for {simulator}'
        raise made.scene.error(f"{title} (has it patches?)", "world", "terrain", "plugin")
    return [(HalfSpace(), Pose(turned_to(plane.normal), plane.offset * plane.normal))]


def tested(shapes: Sequence[Any], detector: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of shapes that Footfall's detector tests; a fixed one comes first."""
    excluded, group = set(detector.excluded.tolist()), detector.groups
    for i, j in combinations(range(len(shapes)), 2):
        same = group[i] == group[j] and group[i] >= 0
        if same or shapes[i].link == shapes[j].link or i * len(shapes) + j in excluded:
            continue
        yield (shapes[j], shapes[i]) if shapes[j].link < 0 else (shapes[i], shapes[j])

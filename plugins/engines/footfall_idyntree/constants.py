"""The constants of a tree, read from an iDynTree model."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.api.engine import LinkFrame, ModelSource, TreeModel
from footfall.api.plugin import Floats, Ints, RobotError
from footfall_idyntree.parse import NO_MASS, Parsed

NO_LIMIT = 1e10
"""Limits beyond this size count as no limit, [rad, m and their rates, N m, N]."""


def tree_model(parsed: Parsed, source: ModelSource) -> TreeModel:
    """Return the constants of a reduced model, base first, in canonical order.

    Raises:
        RobotError: if the joints are not ordered from the root outwards.
    """
    model = parsed.model
    joints = [model.getJoint(model.getJointIndex(name)) for name in parsed.joints]
    links = [model.getLinkIndex(name) for name in _link_names(parsed)]
    n_base = 6 if source.base == "floating" else 0
    mass, com, inertia = _inertias(model, links, source)
    zeros = np.zeros(len(joints))
    return TreeModel(
        base=source.base,
        joint_names=parsed.joints,
        dof_parent=_dof_parents(joints, links, n_base, source),
        link_dof=np.arange(len(links), dtype=np.int64) + n_base - 1,
        link_names=_link_names(parsed),
        link_mass=mass,
        link_com=com,
        link_inertia=inertia,
        position_lower=_limits([joint.getMinPosLimit(0) for joint in joints]),
        position_upper=_limits([joint.getMaxPosLimit(0) for joint in joints]),
        velocity_limit=_limits([joint.getVelocityLimit(0) for joint in joints]),
        effort_limit=_limits([joint.getEffortLimit(0) for joint in joints]),
        damping=zeros + [joint.getDamping(0) for joint in joints],
        friction=zeros + [joint.getStaticFriction(0) for joint in joints],
        armature=zeros,
        frames=_frames(parsed, links),
    )


def dof_twists(parsed: Parsed, constants: TreeModel) -> tuple[Ints, Floats]:
    """Return each dof's link and its unit twist at the link's origin, link axes.

    Returns:
        Shape (nv,), index of the link; and shape (nv, 3, 2), column 0 linear, column 1 angular.
    """
    model = parsed.model
    n_base = constants.nv - len(constants.joint_names)
    twist = np.zeros((constants.nv, 3, 2))
    twist[:3, :, 0] = twist[3:6, :, 1] = np.eye(3) if n_base else 0.0
    link = np.maximum(np.arange(constants.nv) - n_base + 1, 0)
    for dof, name in enumerate(constants.joint_names, start=n_base):
        joint = model.getJoint(model.getJointIndex(name))
        moved = model.getLinkIndex(parsed.child[name])
        motion = joint.getMotionSubspaceVector(0, moved, _other_link(joint, moved)).asVector()
        twist[dof, :, 0] = [motion.getVal(i) for i in (0, 1, 2)]
        twist[dof, :, 1] = [motion.getVal(i) for i in (3, 4, 5)]
    return link, twist


def _link_names(parsed: Parsed) -> tuple[str, ...]:
    return (parsed.root, *(parsed.child[name] for name in parsed.joints))


def _other_link(joint: Any, link: int) -> int:
    first, second = joint.getFirstAttachedLink(), joint.getSecondAttachedLink()
    return int(first if second == link else second)


def _dof_parents(joints: list[Any], links: list[int], n_base: int, source: ModelSource) -> Ints:
    parents = np.arange(-1, n_base + len(joints) - 1, dtype=np.int64)
    for i, joint in enumerate(joints):
        parent = links.index(_other_link(joint, links[i + 1]))
        if parent > i:
            raise RobotError(f"{source.path}: the joints are not ordered from the root outwards")
        parents[n_base + i] = n_base + parent - 1
    return parents


def _inertias(model: Any, links: list[int], source: ModelSource) -> tuple[Floats, Floats, Floats]:
    mass, com = np.zeros(len(links)), np.zeros((len(links), 3))
    inertia = np.zeros((len(links), 3, 3))
    for i, link in enumerate(links):
        if i == 0 and source.base == "fixed":
            continue  # links welded to the ground have no effect on the motion
        given = model.getLink(link).getInertia()
        if given.getMass() == NO_MASS:
            continue
        center, about = given.getCenterOfMass(), given.getRotationalInertiaWrtCenterOfMass()
        mass[i] = given.getMass()
        com[i] = [center.getVal(row) for row in range(3)]
        inertia[i] = [[about.getVal(row, column) for column in range(3)] for row in range(3)]
    return mass, com, inertia


def _limits(values: list[float]) -> Floats:
    limits = np.array(values, dtype=np.float64)
    return np.where(np.abs(limits) > NO_LIMIT, np.copysign(np.inf, limits), limits)


def _frames(parsed: Parsed, links: list[int]) -> dict[str, LinkFrame]:
    """Map names of links, and of joints (at the link they move), to placements."""
    model = parsed.model
    of_links: dict[str, LinkFrame] = {}
    for k in range(model.getNrOfFrames()):
        transform = model.getFrameTransform(k)
        rotation, position = transform.getRotation(), transform.getPosition()
        of_links[model.getFrameName(k)] = LinkFrame(
            links.index(model.getFrameLink(k)),
            np.array([[rotation.getVal(i, j) for j in range(3)] for i in range(3)]),
            np.array([position.getVal(i) for i in range(3)]),
        )
    return {name: of_links[link] for name, link in parsed.child.items()} | of_links

"""Closed loops of a robot, placed on the links of its tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from footfall.errors import RobotError, nearest
from footfall.interfaces.engine import TreeModel
from footfall.model.loop_spec import WORLD_FRAME, CouplingSpec, FrameSpec, LoopSpec
from footfall.spatial.pose import Pose, rotation_from_rpy
from footfall.typing import Floats

WORLD = -1
"""Link number of the world."""
AXES: Mapping[str, tuple[str, ...]] = {
    "point": ("x", "y", "z"),
    "weld": ("x", "y", "z", "rx", "ry", "rz"),
    "coupling": ("joint",),
}
"""Names of the rows of each kind of loop, along the first end's axes."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopEnd:
    """A frame that a loop joins to another.

    Attributes:
        link: index of the tree's link (0 is the base), ``WORLD`` for the world.
        rotation: shape (3, 3), frame to link.
        translation: shape (3,), [m], in the link's frame.
    """

    link: int
    rotation: Floats
    translation: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Two frames that stay together, by their origins (``point``) or completely (``weld``).

    Attributes:
        name: unique in the robot.
        kind: ``point`` has three rows, ``weld`` six.
        ends: rows are along the axes of the first; forces act on the second.
        project: whether the initial posture may be moved so that the ends meet.
        where: file and key or element of its declaration, for errors.
    """

    name: str
    kind: Literal["point", "weld"]
    ends: tuple[LoopEnd, LoopEnd]
    project: bool = False
    where: str = ""


@dataclass(frozen=True, slots=True)
class JointCoupling:
    """A joint that follows another: ``s = ratio s_of + offset``, one row.

    With backlash b two one-sided rows, ``|s - ratio s_of - offset| <= b / 2``.

    Attributes:
        name: unique in the robot.
        joint: index of the following joint.
        of: index of the leading joint.
        ratio: [-], or in the units of the two joints.
        offset: [rad or m].
        project: whether the initial posture may be moved so that it holds.
        where: file and key or element of its declaration, for errors.
        backlash: full width b of the free play, [rad or m].
        restitution: coefficient of its two sides, [-].
    """

    kind: ClassVar[Literal["coupling"]] = "coupling"
    name: str
    joint: int
    of: int
    ratio: float
    offset: float
    project: bool = False
    where: str = ""
    backlash: float = 0.0
    restitution: float = 0.0


def place_loops(
    loops: Sequence[LoopSpec], tree_model: TreeModel, poses: Floats, file: str
) -> tuple[Loop | JointCoupling, ...]:
    """Return the loops with their ends in the frames of the tree's links.

    Args:
        loops: loops of the robot file.
        tree_model: the tree.
        poses: shape (links, 12), the links' initial placements: rotation column-major, translation
            [m].
        file: path of the robot file, for errors.

    Raises:
        RobotError: if a frame or joint does not exist (offers the nearest), a name is taken, or
            both ends are on one link.
    """
    placed: list[Loop | JointCoupling] = []
    for index, given in enumerate(loops):
        where = f"{file}: loops[{index}]"
        name = given.name or f"loop{index}"
        if name in [other.name for other in placed]:
            raise RobotError(f"{where}: the name {name!r} is taken")
        if isinstance(given, CouplingSpec):
            placed.append(_coupling(given, name, tree_model, where))
        else:
            ends = _ends(given.end(0), given.end(1), tree_model, poses, where)
            if ends[0].link == ends[1].link:
                link = tree_model.link_names[ends[0].link]
                raise RobotError(f"{where}: both ends are on the link {link!r}: nothing to close")
            placed.append(Loop(name, given.kind, ends, given.project, where))
    return tuple(placed)


def _coupling(given: CouplingSpec, name: str, tree_model: TreeModel, where: str) -> JointCoupling:
    for joint in (given.joint, given.of):
        if joint not in tree_model.joint_names:
            known = nearest(joint, tree_model.joint_names)
            raise RobotError(f'{where}: the body has no movable joint "{joint}"{known}')
    follower, leader = (tree_model.joint_names.index(joint) for joint in (given.joint, given.of))
    numbers, play = (given.ratio, given.offset), (given.backlash, given.restitution)
    return JointCoupling(name, follower, leader, *numbers, given.project, where, *play)


def _ends(
    a: FrameSpec, b: FrameSpec, tree_model: TreeModel, poses: Floats, where: str
) -> tuple[LoopEnd, LoopEnd]:
    """Return both ends; an end on the world is by default at the initial pose of the other."""
    if a.frame == WORLD_FRAME:
        end = _on_link(b, tree_model, where)
        return _on_world(a, end, poses), end
    end = _on_link(a, tree_model, where)
    other = _on_world(b, end, poses) if b.frame == WORLD_FRAME else _on_link(b, tree_model, where)
    return end, other


def _on_link(given: FrameSpec, tree_model: TreeModel, where: str) -> LoopEnd:
    frame = tree_model.frames.get(given.frame)
    if frame is None:
        known = nearest(given.frame, [*tree_model.frames, WORLD_FRAME])
        raise RobotError(f'{where}: no link or frame "{given.frame}"{known}')
    inner = Pose.from_rpy(given.position or (0.0, 0.0, 0.0), given.orientation or (0.0, 0.0, 0.0))
    pose = Pose(frame.rotation, frame.translation) @ inner
    return LoopEnd(frame.link, pose.rotation, pose.translation)


def _on_world(given: FrameSpec, other: LoopEnd, poses: Floats) -> LoopEnd:
    pose = poses[other.link]
    start = Pose(pose[:9].reshape(3, 3).T, pose[9:]) @ Pose(other.rotation, other.translation)
    rotation, position = start.rotation, start.translation
    if given.orientation is not None:
        rotation = rotation_from_rpy(given.orientation)
    if given.position is not None:
        position = np.array(given.position, float)
    return LoopEnd(WORLD, rotation, position)

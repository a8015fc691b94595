"""Loops that a model file itself gives: ``<mimic>`` of a URDF, ``<equality>`` of an MJCF."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from footfall.errors import RobotError, nearest
from footfall.formats.mesh_paths import RobotWarning
from footfall.interfaces.engine import TreeModel
from footfall.model.loop import WORLD, JointCoupling, Loop, LoopEnd
from footfall.model.loop_spec import WORLD_FRAME
from footfall.spatial.pose import Pose
from footfall.typing import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ModelJoining:
    """Two frames that a model file joins.

    Attributes:
        name: of the loop.
        kind: ``point`` or ``weld``.
        frames: names of two links or sites, or ``world``.
        poses: of what is joined, in these frames; None: where the other end is while all joints
            are at zero.
        where: file and element, for errors.
    """

    name: str
    kind: Literal["point", "weld"]
    frames: tuple[str, str]
    poses: tuple[Pose | None, Pose | None]
    where: str


@dataclass(frozen=True, slots=True)
class ModelCoupling:
    """A joint that a model file makes follow another: ``joint = ratio of + offset``.

    Attributes:
        name: of the loop.
        joint: that follows.
        of: that it follows.
        ratio: [-], or in the units of the two joints.
        offset: [rad or m].
        where: file and element, for errors.
    """

    name: str
    joint: str
    of: str
    ratio: float
    offset: float
    where: str


ModelLoop = ModelJoining | ModelCoupling


def place_model_loops(
    loops: Iterable[ModelLoop], tree_model: TreeModel, poses: Floats, at_zero: Floats
) -> tuple[Loop | JointCoupling, ...]:
    """Return a model file's loops with their ends in the frames of the tree's links.

    The posture may be moved at the start so that they close (``project``). A coupling with a
    joint that is locked has no effect, with a ``RobotWarning``.

    Args:
        loops: of the model file.
        tree_model: the tree.
        poses: shape (links, 12), the links' placements at the start.
        at_zero: shape (links, 12), while all joints are at zero.

    Raises:
        RobotError: if a frame does not exist; offers the nearest.
    """
    placed: list[Loop | JointCoupling] = []
    for loop in loops:
        if isinstance(loop, ModelJoining):
            ends = _ends(loop, tree_model, poses, at_zero)
            placed.append(Loop(loop.name, loop.kind, ends, project=True, where=loop.where))
        elif _moves(loop, tree_model.joint_names):
            joint, of = (tree_model.joint_names.index(name) for name in (loop.joint, loop.of))
            numbers = loop.ratio, loop.offset
            placed.append(
                JointCoupling(loop.name, joint, of, *numbers, project=True, where=loop.where)
            )
    return tuple(placed)


def _moves(loop: ModelCoupling, joints: Sequence[str]) -> bool:
    """Return whether both joints are movable; tell if only one of them is."""
    missing = [name for name in (loop.joint, loop.of) if name not in joints]
    if len(missing) == 1:
        moving = loop.of if missing[0] == loop.joint else loop.joint
        warnings.warn(
            f"{loop.where}: {loop.joint} follows {loop.of}, but {missing[0]} is locked or does "
            f"not exist: {moving} moves by itself",
            RobotWarning,
            stacklevel=2,
        )
    return not missing


def _ends(
    loop: ModelJoining, tree_model: TreeModel, poses: Floats, at_zero: Floats
) -> tuple[LoopEnd, LoopEnd]:
    """Return both ends; one without a pose is where the other is while all joints are at zero.

    Where a floating base is then, a model file does not say: the world's end is where the other
    starts.
    """
    a, b = (_on_link(name, tree_model, loop.where) for name in loop.frames)
    if loop.poses[1] is None:
        first = _moved(a, loop.poses[0] or Pose.identity())
        return first, _met(first, b, tree_model, poses, at_zero)
    second = _moved(b, loop.poses[1])
    if loop.poses[0] is None:
        return _met(second, a, tree_model, poses, at_zero), second
    return _moved(a, loop.poses[0]), second


def _on_link(name: str, tree_model: TreeModel, where: str) -> LoopEnd:
    if name == WORLD_FRAME:
        identity = Pose.identity()
        return LoopEnd(WORLD, identity.rotation, identity.translation)
    frame = tree_model.frames.get(name)
    if frame is None:
        raise RobotError(f'{where}: no body or site "{name}"{nearest(name, tree_model.frames)}')
    return LoopEnd(frame.link, frame.rotation, frame.translation)


def _moved(end: LoopEnd, inner: Pose) -> LoopEnd:
    pose = Pose(end.rotation, end.translation) @ inner
    return LoopEnd(end.link, pose.rotation, pose.translation)


def _met(
    end: LoopEnd, frame: LoopEnd, tree_model: TreeModel, poses: Floats, at_zero: Floats
) -> LoopEnd:
    """Return the end on the other frame's link that meets a given end."""
    if WORLD in (end.link, frame.link) and tree_model.base == "floating":
        at_zero = poses
    place = _link_pose(end.link, at_zero) @ Pose(end.rotation, end.translation)
    inner = _link_pose(frame.link, at_zero).inverse() @ place
    return LoopEnd(frame.link, inner.rotation, inner.translation)


def _link_pose(link: int, poses: Floats) -> Pose:
    if link == WORLD:
        return Pose.identity()
    return Pose(poses[link, :9].reshape(3, 3).T, poses[link, 9:])

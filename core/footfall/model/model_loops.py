"""Loops that the model file itself gives, e.g. ``<mimic>`` in a URDF.

Loops that robot.toml replaces or switches off are left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence

from footfall.errors import RobotError, RobotWarning, nearest
from footfall.formats.urdf import Urdf
from footfall.interfaces.engine import TreeModel
from footfall.model.description import ModelCoupling, ModelDescription, ModelJoining, ModelLoop
from footfall.model.loop_spec import WORLD_FRAME, CouplingSpec
from footfall.model.loops import WORLD, JointCoupling, Loop, LoopEnd
from footfall.model.spec import RobotSpec
from footfall.spatial.pose import Pose
from footfall.typing import Floats


def place_model_loops(
    loops: Iterable[ModelLoop], tree_model: TreeModel, poses: Floats, at_zero: Floats
) -> tuple[Loop | JointCoupling, ...]:
    """Return a model file's loops with their ends in the frames of the tree's links.

    The initial posture may be moved so that they close (``project``). A coupling with a locked
    joint has no effect, with a ``RobotWarning``.

    Args:
        loops: loops of the model file.
        tree_model: the tree.
        poses: shape (links, 12), the links' initial placements.
        at_zero: shape (links, 12), their placements while all joints are at zero.

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
    """Return whether both joints are movable; warn if only one of them is."""
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
    """Return both ends; an end without a pose meets the other while all joints are at zero.

    A model file does not give the pose of a floating base then: an end on the world is at the
    initial pose of the other.
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


def closes(model: Urdf | ModelDescription, spec: RobotSpec) -> bool:
    """Return whether a model file has loops that are used."""
    if spec.model.loops == "ignored":
        return False
    if isinstance(model, ModelDescription):
        return model.has_loops
    return any(joint.mimics is not None for joint in model.joints.values())


def own_loops(model: Urdf | ModelDescription, spec: RobotSpec) -> tuple[ModelLoop, ...]:
    """Return the loops of a model file that are used.

    Raises:
        RobotError: if the file has a loop that is not supported; names it.
    """
    if not closes(model, spec):
        return ()
    found = _mimics(model) if isinstance(model, Urdf) else model.loops()
    names = {loop.name for loop in spec.loops}
    followers = {loop.joint for loop in spec.loops if isinstance(loop, CouplingSpec)}
    return tuple(
        loop
        for loop in found
        if loop.name not in names
        and not (isinstance(loop, ModelCoupling) and loop.joint in followers)
    )


def _mimics(urdf: Urdf) -> Iterator[ModelLoop]:
    """Yield a coupling for each joint that mimics another."""
    for joint in urdf.joints.values():
        if joint.mimics is not None and joint.type != "fixed":
            where = f'{urdf.path}: joint "{joint.name}"'
            yield ModelCoupling(
                joint.name, joint.name, joint.mimics, joint.ratio, joint.offset, where
            )

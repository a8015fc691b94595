"""Loops that a model file itself gives: ``<mimic>`` of a URDF, ``<equality>`` of an MJCF.

Those that robot.toml replaces or switches off do not hold.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element

import numpy as np

from footfall.errors import RobotError, RobotWarning, nearest
from footfall.formats.mjcf import Mjcf
from footfall.formats.urdf import Urdf
from footfall.formats.xml import Place
from footfall.interfaces.engine import TreeModel
from footfall.model.loop_spec import WORLD_FRAME, CouplingSpec
from footfall.model.loops import WORLD, JointCoupling, Loop, LoopEnd
from footfall.model.spec import RobotSpec
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


SOFTNESS = ("solref", "solimp")
"""Attributes that make MuJoCo's constraints soft."""
INSTEAD = 'to run without the file\'s loops set loops = "ignored" in [model] of robot.toml'


def read_equalities(elements: Iterable[Element], path: Path) -> Iterator[ModelLoop]:
    """Yield the loops that are active; ``elements`` are the children of ``<equality>``.

    They are rigid here: that the file makes some softer is told with a ``RobotWarning``.

    Raises:
        RobotError: for one that is not of these kinds, or cannot be honoured; names it.
    """
    soft = []
    for index, element in enumerate(elements):
        if element.get("active", "true") == "false":
            continue
        name = element.get("name") or f"equality{index}"
        place = Place(str(path), f'<equality> {element.tag} "{name}"')
        if element.tag == "connect":
            yield _connect(element, name, place)
        elif element.tag == "weld":
            yield _weld(element, name, place)
        elif element.tag == "joint":
            yield _coupling(element, name, place)
        else:
            raise place.error(f"connect, weld and joint can be honoured; {INSTEAD}")
        soft += [name] if any(key in element.attrib for key in SOFTNESS) else []
    if soft:
        warnings.warn(
            f"{path}: <equality>: solref and solimp have no effect, loops are rigid: "
            f"{', '.join(soft)}",
            RobotWarning,
            stacklevel=2,
        )


def _sites(element: Element) -> tuple[str, str] | None:
    names = element.get("site1"), element.get("site2")
    return (names[0], names[1]) if names[0] and names[1] else None


def _bodies(element: Element, place: Place) -> tuple[str, str]:
    """Return the names of two bodies; the second is the world where it is not given."""
    first, second = place.attribute(element, "body1"), element.get("body2") or WORLD_FRAME
    if first == second:
        raise place.error(f'joins "{first}" to itself')
    return first, second


def _connect(element: Element, name: str, place: Place) -> ModelJoining:
    sites = _sites(element)
    if sites:
        return ModelJoining(name, "point", sites, (Pose.identity(), Pose.identity()), str(place))
    anchor = np.array(place.numbers(element, "anchor", count=3, default=None))
    poses = (Pose(np.eye(3), anchor), None)
    return ModelJoining(name, "point", _bodies(element, place), poses, str(place))


def _weld(element: Element, name: str, place: Place) -> ModelJoining:
    """Return a weld; ``anchor`` only says where MuJoCo measures it, which rigid ones need not."""
    sites = _sites(element)
    if sites:
        return ModelJoining(name, "weld", sites, (Pose.identity(), Pose.identity()), str(place))
    default = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    relative = np.array(place.numbers(element, "relpose", count=7, default=default))
    given = Pose(_rotation(relative[3:]), relative[:3]) if relative[3:].any() else None
    return ModelJoining(name, "weld", _bodies(element, place), (given, Pose.identity()), str(place))


def _coupling(element: Element, name: str, place: Place) -> ModelCoupling:
    joint, of = place.attribute(element, "joint1"), element.get("joint2")
    given = element.get("polycoef", "0 1 0 0 0").split()
    count = len(given)
    if not 1 <= count <= 5:
        raise place.error(f'polycoef="{element.get("polycoef")}" must be up to 5 numbers')
    default = (0.0, 1.0, 0.0, 0.0, 0.0)
    a = (*place.numbers(element, "polycoef", count=count, default=default), *default[count:])
    if any(a[2:]):
        raise place.error(
            f'polycoef="{element.get("polycoef")}": joints can follow along a line only, not a '
            f"polynomial of higher order; {INSTEAD}"
        )
    if not of:
        raise place.error(
            f"holds {joint} still: leave it out of joints in robot.toml and give its posture; "
            f"{INSTEAD}"
        )
    return ModelCoupling(name, joint, of, a[1], a[0], str(place))


def _rotation(wxyz: Floats) -> Floats:
    """Return the rotation of a quaternion in MuJoCo's order, which need not be of unit length."""
    w, x, y, z = wxyz / np.linalg.norm(wxyz)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def closes(model: Urdf | Mjcf, spec: RobotSpec) -> bool:
    """Return whether a model file gives loops that are read."""
    if spec.model.loops == "ignored":
        return False
    if isinstance(model, Mjcf):
        return bool(model.equalities)
    return any(joint.mimics is not None for joint in model.joints.values())


def own_loops(model: Urdf | Mjcf, spec: RobotSpec) -> tuple[ModelLoop, ...]:
    """Return the loops of a model file that hold.

    Raises:
        RobotError: if the file gives one that cannot be honoured; names it.
    """
    if not closes(model, spec):
        return ()
    found = (
        _mimics(model) if isinstance(model, Urdf) else read_equalities(model.equalities, model.path)
    )
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

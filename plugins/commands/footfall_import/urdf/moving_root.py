"""Detection of a moving base in a URDF: a ``floating`` or ``planar`` joint, slides and hinges."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.advanced import FileElement
from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall_import.checks import Finding
from footfall_import.mjcf.document import unit
from footfall_import.mjcf.geoms_as_shapes import add_joint
from footfall_import.urdf.srdf import NamedPosture

KINDS = ("floating", "planar")
UPRIGHT = 0.1
"""Cosine between a plane and the vertical above which the plane's z axis points up, [-]."""
WORLDLY = {"inertial": "mass", "visual": "looks", "collision": "shape"}
"""Parts of the world's link that are left out, in words."""


@dataclass(frozen=True, slots=True)
class MovingRoot:
    """A moving base given by a URDF's root joint.

    Attributes:
        base: base type of the root.
        start: initial pose of the root; for a planar base, the frame in whose x-z plane it moves;
            world frame.
        findings: parts of the joint and of the world's link that are left out.
        hinges: shape (3,), axis at zero, world frame, of each hinge that turns a floating base.
    """

    base: Literal["floating", "planar"]
    start: Pose
    findings: tuple[Finding, ...]
    hinges: Mapping[str, Floats] = field(default_factory=dict)

    def turned(self, postures: Iterable[NamedPosture]) -> tuple[NamedPosture, ...]:
        """Return postures with the orientation that their positions of the hinges give the base."""
        return tuple(
            replace(each, quaternion=self._quaternion(each.positions))
            if set(self.hinges) & set(each.positions)
            else each
            for each in postures
        )

    def _quaternion(self, positions: Mapping[str, float]) -> tuple[float, float, float, float]:
        turn = Rotation.identity()
        for name, axis in self.hinges.items():
            turn *= Rotation.from_rotvec(positions.get(name, 0.0) * axis)
        x, y, z, w = (turn * Rotation.from_matrix(self.start.rotation)).as_quat()
        return float(x), float(y), float(z), float(w)


def take_moving_root(top: Element, path: str) -> MovingRoot | None:
    """Remove the world link and the moving root joint from a URDF; None without such a joint.

    Args:
        top: the URDF's element; changed in place.
        path: the file, for errors.

    Raises:
        RobotError: if such a joint is not at the root, the root link has other joints, or numbers
            are malformed.
    """
    moving = [node for node in top.findall("joint") if node.get("type") in KINDS]
    if not moving:
        return None
    joint = moving[0]
    place = FileElement(path, f'joint "{joint.get("name", "")}"')
    world, child = (_link(joint, end) for end in ("parent", "child"))
    carried = [_link(node, "parent") for node in top.findall("joint")]
    children = [_link(node, "child") for node in top.findall("joint")]
    if len(moving) > 1 or world in children or carried.count(world) != 1 or world == child:
        raise place.error(
            f"type {joint.get('type')!r} is supported only for a single joint on the root link"
        )
    at = place_of(joint, place)
    found = _told(top, world, joint)
    base: Literal["floating", "planar"] = "floating"
    if joint.get("type") == "planar":
        base, plane = "planar", plane_of(joint, at, place)
        _put_in_plane(top, child, plane.inverse() @ at)
        at = plane
    top.remove(joint)
    for link in top.findall("link"):
        if link.get("name") == world:
            top.remove(link)
    return MovingRoot(base, at, tuple(found))


SLIDING: dict[tuple[str, ...], Literal["floating", "planar"]] = {
    ("prismatic",) * 3 + ("revolute",) * 3: "floating",
    ("prismatic",) * 2 + ("revolute",): "planar",
}
"""Types of a chain of joints from the world that are a base."""
INDEPENDENT = 0.5
"""Least volume spanned by the axes of a base's slides, or of its hinges, [-]."""


def take_sliding_root(top: Element, path: str, used: Collection[str]) -> MovingRoot | None:
    """Remove slides and hinges that stand for a base, with their links; None without such a chain.

    Links between them have no mass and no shape. Of a planar base the hinge is at right angles to
    the slides, and no joint takes an effort: else it is a machine's, e.g. a base that is driven.

    Args:
        top: the URDF's element; changed in place.
        path: the file, for errors.
        used: joints with a drive, a spring or a coupling.

    Raises:
        RobotError: if numbers are malformed.
    """
    chain = list(_bare_chain(top))
    moving = [joint for joint in chain if joint.get("type") != "fixed"]
    kinds = tuple(str(j.get("type")).replace("continuous", "revolute") for j in moving)
    names = [joint.get("name", "") for joint in moving]
    base = SLIDING.get(kinds)
    if base is None or set(used) & set(names):
        return None
    if base == "planar" and any(_gives(joint, "limit", "effort") for joint in moving):
        return None
    at, axes = Pose.identity(), []
    for joint in chain:
        place = FileElement(path, f'joint "{joint.get("name", "")}"')
        at = at @ place_of(joint, place)
        if joint in moving:
            node = joint.find("axis")
            given = Element("axis") if node is None else node
            axis = place.numbers(given, "xyz", count=3, default=(1.0, 0.0, 0.0))
            axes.append(at.rotation @ unit(axis, place))
    spanned = [axes[:3], axes[3:]] if base == "floating" else [axes]
    if min(abs(float(np.linalg.det(np.array(three)))) for three in spanned) < INDEPENDENT:
        return None
    text = f"{', '.join(names)} from the world: taken as a {base} base"
    lost = any(_gives(joint, "dynamics", "damping friction") for joint in moving)
    text += ", without their <dynamics>" if lost else ""
    found = Finding("note", "base", f"{text} (--base fixed keeps them)", lost=lost)
    for joint in chain:
        top.remove(joint)
    for link in top.findall("link"):
        if link.get("name") in {_link(joint, "parent") for joint in chain}:
            top.remove(link)
    if base == "floating":
        return MovingRoot(base, at, (found,), dict(zip(names[3:], axes[3:], strict=True)))
    plane = plane_of(moving[-1], at, place)
    _put_in_plane(top, _link(chain[-1], "child"), plane.inverse() @ at)
    return MovingRoot(base, plane, (found,))


def loose_slides(top: Element, used: Collection[str]) -> list[str]:
    """Return the slides between the world and the first body with mass that nothing drives."""
    slides = [joint for joint in _bare_chain(top) if joint.get("type") == "prismatic"]
    return [name for joint in slides if (name := joint.get("name", "")) not in used]


def _bare_chain(top: Element) -> Iterator[Element]:
    """Yield the joints from the root while their parents have no mass, no shape, no other joint."""
    links = {link.get("name", ""): link for link in top.findall("link")}
    carried: dict[str, list[Element]] = {}
    for joint in top.findall("joint"):
        carried.setdefault(_link(joint, "parent"), []).append(joint)
    children = {_link(joint, "child") for joint in top.findall("joint")}
    roots = [name for name in links if name not in children]
    link = roots[0] if len(roots) == 1 else ""
    while link in links and len(carried.get(link, ())) == 1:
        if any(links[link].find(tag) is not None for tag in WORLDLY):
            return
        joint = carried[link][0]
        yield joint
        link = _link(joint, "child")


def _gives(joint: Element, tag: str, keys: str) -> bool:
    """Return whether a joint gives a number other than zero."""
    node = joint.find(tag)
    return node is not None and any(node.get(key, "").strip(" 0.+-") for key in keys.split())


def place_of(joint: Element, place: FileElement) -> Pose:
    """Return the pose of a joint's frame in its parent's frame."""
    node = joint.find("origin")
    given = Element("origin") if node is None else node
    x, y, z = place.numbers(given, "xyz", count=3, default=(0.0, 0.0, 0.0))
    roll, pitch, yaw = place.numbers(given, "rpy", count=3, default=(0.0, 0.0, 0.0))
    return Pose.from_rpy((x, y, z), (roll, pitch, yaw))


def plane_of(joint: Element, at: Pose, place: FileElement) -> Pose:
    """Return the frame of a ``planar`` joint's plane for a planar base: y is the normal.

    In an upright plane z points up; otherwise x is along the joint's x axis.
    """
    node = joint.find("axis")
    given = Element("axis") if node is None else node
    axis = place.numbers(given, "xyz", count=3, default=(1.0, 0.0, 0.0))
    y = at.rotation @ unit(axis, place)
    up = np.array([0.0, 0.0, 1.0]) - y[2] * y
    if np.linalg.norm(up) > UPRIGHT:
        z = up / np.linalg.norm(up)
        return Pose(np.column_stack([np.cross(y, z), y, z]), at.translation)
    x = at.rotation[:, 0] - (y @ at.rotation[:, 0]) * y
    x = x / np.linalg.norm(x)
    axes: Floats = np.column_stack([x, y, np.cross(x, y)])
    return Pose(axes, at.translation)


def _put_in_plane(top: Element, link: str, pose: Pose) -> None:
    """Put a link below a massless link if it is offset in its plane."""
    if pose.is_identity():
        return
    SubElement(top, "link", name=f"{link}/plane")
    add_joint(top, f"{link}_in_plane", "fixed", (f"{link}/plane", link), pose)


def _told(top: Element, world: str, joint: Element) -> list[Finding]:
    """Return warnings of parts of the world's link and joint that a base does not have."""
    found = []
    for link in top.findall("link"):
        lost = [word for tag, word in WORLDLY.items() if link.find(tag) is not None]
        if link.get("name") == world and lost:
            text = f"is the world: its {' and '.join(lost)} left out"
            found.append(Finding("warning", f'link "{world}"', text, lost=True))
    for tag in ("limit", "dynamics", "mimic"):
        if joint.find(tag) is not None:
            text = f"is the base: its <{tag}> is not honoured"
            found.append(Finding("warning", f'joint "{joint.get("name")}"', text, lost=True))
    return found


def _link(joint: Element, end: str) -> str:
    node = joint.find(end)
    return "" if node is None else node.get("link", "")

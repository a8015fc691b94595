"""Detection of a moving base in a URDF: a ``floating`` or ``planar`` joint on a world link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.api.advanced import FileElement
from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall_import.checks import Finding
from footfall_import.mjcf.document import unit
from footfall_import.mjcf.geoms_as_shapes import add_joint

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
    """

    base: Literal["floating", "planar"]
    start: Pose
    findings: tuple[Finding, ...]


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

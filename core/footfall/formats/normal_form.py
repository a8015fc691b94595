"""The normal form of a URDF, which every engine reads in the same way."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.errors import RobotError
from footfall.formats.urdf import Inertial, Joint, Limits, Urdf
from footfall.spatial.pose import Pose, rotation_about, rpy_from_rotation
from footfall.typing import Floats

Base = Literal["floating", "fixed", "planar"]
"""Kind of base of a model; a planar base moves in its x-z plane."""
PLANAR_JOINTS = ("planar_x", "planar_z", "planar_pitch")
"""Joints of a planar base: along x [m], along z [m], about +y [rad]."""
_OF_MASS = {
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "inertial": ("mass", "fullinertia"),
}
UNLIMITED = 1e300
"""Value for no limit: finite, since URDF parsers reject infinity; far beyond 1e10."""


def normal_form(
    urdf: Urdf,
    base: Base,
    kept: Collection[str],
    locked: Mapping[str, float],
    placement: Pose | None = None,
) -> str:
    """Return the XML text of a URDF in normal form; see ``ModelSource``.

    Joints that are not kept are fixed at the position in ``locked`` (default 0), continuous joints
    are revolute without limits, and a planar base is a fixed base with three joints. Mimic tags,
    shapes, transmissions and simulator tags are left out: engines only need the dynamics. Numbers
    are written so that reading them gives the same bits.

    Args:
        urdf: the model.
        base: kind of base.
        kept: names of the movable joints that are kept.
        locked: positions of the others, [rad or m].
        placement: pose of the root in the world if the base does not float; at the origin if None.

    Raises:
        RobotError: if the model has a joint with a name of ``PLANAR_JOINTS`` and a planar base.
    """
    _require_free_names(urdf, base)
    robot = Element("robot", name=urdf.name)
    for link in urdf.links.values():
        _add_link(robot, link.name, link.inertial)
    _add_base(robot, urdf, base, placement)
    for joint in urdf.depth_first():
        if joint.name in kept:
            _add_movable(robot, joint)
        else:
            _add_joint(robot, joint, "fixed", _locked_origin(joint, locked.get(joint.name, 0.0)))
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode")


def scale_masses(xml: str, factor: float) -> str:
    """Return a normal form (URDF or MJCF) with all masses and inertias multiplied by a factor."""
    root = ElementTree.fromstring(xml)
    for node in root.iter():
        for key in set(_OF_MASS.get(node.tag, ())) & set(node.keys()):
            entries = [factor * float(entry) for entry in node.attrib[key].split()]
            node.set(key, " ".join(map(repr, entries)))
    return ElementTree.tostring(root, encoding="unicode")


def canonical_joints(urdf: Urdf, base: Base, kept: Collection[str]) -> tuple[str, ...]:
    """Return the joints of the normal form: the base's, then depth first, children by name."""
    joints = tuple(name for name in urdf.movable if name in kept)
    return (*PLANAR_JOINTS, *joints) if base == "planar" else joints


def motion(joint: Joint, position: float) -> Pose:
    """Return the placement of a joint's moved frame in its own frame at a position [rad or m]."""
    if joint.type == "prismatic":
        return Pose(np.eye(3), position * joint.axis)
    return Pose(rotation_about(joint.axis, position), np.zeros(3))


def _locked_origin(joint: Joint, position: float) -> Pose:
    return joint.origin @ motion(joint, position) if position else joint.origin


def _require_free_names(urdf: Urdf, base: Base) -> None:
    taken = [name for name in PLANAR_JOINTS if name in urdf.joints]
    if base == "planar" and taken:
        raise RobotError(f'{urdf.path}: joint "{taken[0]}": the planar base needs that name')


def _add_base(robot: Element, urdf: Urdf, base: Base, placement: Pose | None) -> None:
    if base == "floating" or (base == "fixed" and placement is None):
        return
    parent = _unused("world", urdf)
    _add_link(robot, parent, None)
    origin = placement or Pose.identity()
    if base == "fixed":
        weld = _link_joint(_unused("world_joint", urdf), parent, urdf.root)
        _add_joint(robot, weld, "fixed", origin)
        return
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    children = (*(_unused(name, urdf) for name in PLANAR_JOINTS[:2]), urdf.root)
    for name, axis, child in zip(PLANAR_JOINTS, axes, children, strict=True):
        if child != urdf.root:
            _add_link(robot, child, None)
        kind = "revolute" if name == "planar_pitch" else "prismatic"
        _add_joint(robot, _link_joint(name, parent, child), kind, origin, axis, Limits())
        parent, origin = child, Pose.identity()


def _unused(name: str, urdf: Urdf) -> str:
    while name in urdf.links or name in urdf.joints:
        name += "_"
    return name


def _link_joint(name: str, parent: str, child: str) -> Joint:
    return Joint(name, "fixed", parent, child, Pose.identity(), np.zeros(3))


def _add_link(robot: Element, name: str, inertial: Inertial | None) -> None:
    link = SubElement(robot, "link", name=name)
    if inertial is None:
        return
    node = SubElement(link, "inertial")
    SubElement(node, "origin", xyz=_text(inertial.com), rpy="0 0 0")
    SubElement(node, "mass", value=repr(inertial.mass))
    I = inertial.inertia  # noqa: E741 - the field's letter
    entries = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2]}
    entries |= {"iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
    SubElement(node, "inertia", {key: repr(float(value)) for key, value in entries.items()})


def _add_movable(robot: Element, joint: Joint) -> None:
    kind = "prismatic" if joint.type == "prismatic" else "revolute"
    node = _add_joint(robot, joint, kind, joint.origin, joint.axis, joint.limits)
    dynamics = {"damping": repr(joint.damping), "friction": repr(joint.friction)}
    SubElement(node, "dynamics", dynamics)


def _add_joint(
    robot: Element,
    joint: Joint,
    kind: str,
    origin: Pose,
    axis: Floats | None = None,
    limits: Limits | None = None,
) -> Element:
    node = SubElement(robot, "joint", name=joint.name, type=kind)
    rpy = rpy_from_rotation(origin.rotation)
    SubElement(node, "origin", xyz=_text(origin.translation), rpy=_text(np.array(rpy)))
    SubElement(node, "parent", link=joint.parent)
    SubElement(node, "child", link=joint.child)
    if axis is not None and limits is not None:
        SubElement(node, "axis", xyz=_text(axis))
        bounds = {key: getattr(limits, key) for key in ("lower", "upper", "velocity", "effort")}
        SubElement(node, "limit", {key: repr(_finite(value)) for key, value in bounds.items()})
    return node


def _finite(limit: float) -> float:
    return limit if math.isfinite(limit) else math.copysign(UNLIMITED, limit)


def _text(vector: Floats) -> str:
    return " ".join(repr(float(value)) for value in vector)

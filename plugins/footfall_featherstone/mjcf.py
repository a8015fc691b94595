"""The bodies of an MJCF, read as MuJoCo reads them or refused."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.engine import ModelSource, Placement
from footfall.api.errors import RobotError, RobotWarning, nearest
from footfall.api.formats import Joint, Place
from footfall.api.geometry import Pose, rotation_about
from footfall_featherstone.bodies import Bodies, Body
from footfall_featherstone.mjcf_document import Document, read_document, unit
from footfall_featherstone.mjcf_inertia import inertial_of

WORLD = "world"
IN_BODIES = frozenset({"body", "inertial", "joint", "freejoint", "geom", "site"})
DECORATION = frozenset({"camera", "light", "plugin"})
FORCES = ("tendon", "deformable")
"""Sections that act on a tree; engines evaluate what moves."""
UNMOVED = Pose(np.eye(3), np.zeros(3))


def read_mjcf(source: ModelSource) -> Bodies:
    """Read the bodies of an MJCF, in the file's order.

    Raises:
        RobotError: if the text is malformed, holds what would be another tree to MuJoCo, or not
            the joints that are kept or locked; names the element.
    """
    document = read_document(source.xml, source.path)
    for node in (node for world in document.top.findall("worldbody") for node in world):
        _require_read(node, Place(source.path, "<worldbody>"))
    roots, reader = document.bodies, _Reader(source, document)
    _require_base(source, roots)
    if source.base == "fixed":
        reader.bodies.append(Body(WORLD, -1, None, UNMOVED))
        reader.frames[WORLD] = Placement(0, np.eye(3), np.zeros(3))
    for root in roots:
        reader.read_body(root, 0, UNMOVED)
    for name in (*(source.joints or ()), *source.locked):
        if name not in reader.names:
            raise RobotError(f'{source.path}: no joint "{name}"{nearest(name, reader.names)}')
    if source.joints is not None and source.joints != tuple(reader.kept()):
        raise RobotError(f"{source.path}: kept joints must be in the file's order")
    for tag in FORCES:
        if any(len(section) for section in document.top.findall(tag)):
            _warn(f"{source.path}: <{tag}> is not honoured")
    frames = reader.joint_frames | reader.frames
    return Bodies(tuple(reader.bodies), frames, reader.armature)


def _require_read(node: Element, place: Place) -> None:
    if node.tag not in IN_BODIES | DECORATION:
        raise place.error(f"<{node.tag}> is not supported: write it out")


def _is_free(body: Element) -> bool:
    kinds = [joint.get("type") for joint in body.findall("joint")]
    return body.find("freejoint") is not None or "free" in kinds


def _require_base(source: ModelSource, roots: list[Element]) -> None:
    """Require one root with a free joint of a floating robot, none with one of another."""
    names = ", ".join(f'"{body.get("name")}"' for body in roots) or "none"
    floats = [_is_free(body) for body in roots]
    if source.base == "fixed" and any(floats):
        raise RobotError(
            f"{source.path}: a root body has a free joint (<freejoint>), which a fixed base cannot "
            "have: edit the model or choose a floating base"
        )
    if source.base == "floating" and floats != [True]:
        raise RobotError(
            f"{source.path}: a floating robot is one root body with a free joint, found {names}: "
            "edit the model, choose a fixed base, or put other bodies into the scene"
        )


@dataclass(slots=True)
class _Reader:
    """Bodies and frames as they are read.

    Attributes:
        source: which joints are kept.
        document: the file.
        bodies: the tree's so far.
        frames: places of the file's bodies and sites.
        joint_frames: places of its joints, on what they move.
        names: of all hinges and slides, in the file's order.
        armature: reflected inertia by joint, [kg m^2 or kg].
    """

    source: ModelSource
    document: Document
    bodies: list[Body] = field(default_factory=list)
    frames: dict[str, Placement] = field(default_factory=dict)
    joint_frames: dict[str, Placement] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    armature: dict[str, float] = field(default_factory=dict)

    def kept(self) -> Iterator[str]:
        """Yield the names of the joints that move, in the order of their bodies."""
        return (body.joint.name for body in self.bodies if body.joint is not None)

    def read_body(self, node: Element, carrier: int, outer: Pose) -> None:
        """Add a body of the file, its joints before it and what it carries after it.

        Args:
            node: the file's body.
            carrier: index of the tree's body that carries it.
            outer: placement of the frame that it is in, in that body.
        """
        name, place = node.get("name", ""), self.document.place(node)
        for child in node:
            _require_read(child, place)
        if place.number(node, "gravcomp", default=0.0):
            _warn(f"{place}: gravcomp is not honoured")
        if _is_free(node):
            if self.bodies:
                raise place.error("a free joint is allowed on the root body only")
            self.bodies.append(Body(name, -1, None, UNMOVED))
            pose = UNMOVED  # where it is, is a part of q
        else:
            carrier, pose = self.read_joints(node, carrier, outer @ self.document.pose(node))
        inertial = inertial_of(node, self.document)
        if inertial is not None:
            self.bodies[carrier].parts.append((pose, inertial))
        self.add_frames(node, carrier, pose)
        for child in node.findall("body"):
            self.read_body(child, carrier, pose)

    def read_joints(self, node: Element, carrier: int, pose: Pose) -> tuple[int, Pose]:
        """Add a body's joints one behind the other; return what carries it, and its place there.

        A joint turns or slides its body about an anchor, ``pos``, with the body's axes; the moved
        link's origin is the anchor.
        """
        joints, name = node.findall("joint"), node.get("name", "")
        for given in joints:
            joint = _joint(given, self.document, name)
            place = self.document.place(given)
            self.names.append(joint.name)
            self.armature[joint.name] = place.at_least_zero(given, "armature")
            anchor = np.array(place.numbers(given, "pos", count=3, default=(0.0, 0.0, 0.0)))
            there, back = Pose(np.eye(3), anchor), Pose(np.eye(3), -anchor)
            if self.source.joints is None or joint.name in self.source.joints:
                link = name if given is joints[-1] else joint.child
                self.bodies.append(Body(link, carrier, joint, pose @ there))
                carrier, pose = len(self.bodies) - 1, back
            else:
                position = self.source.locked.get(joint.name, 0.0)
                pose = pose @ there @ _motion(joint, position) @ back
            here = pose @ there
            self.joint_frames[joint.name] = Placement(carrier, here.rotation, here.translation)
            if given is not joints[-1]:  # the body as if its other joints were rigid
                self.frames[joint.child] = Placement(carrier, pose.rotation, pose.translation)
        return carrier, pose

    def add_frames(self, node: Element, carrier: int, pose: Pose) -> None:
        """Note where a body and its sites are; what came first keeps its name."""
        self.frames.setdefault(
            node.get("name", ""), Placement(carrier, pose.rotation, pose.translation)
        )
        for site in node.findall("site"):
            here = pose @ self.document.pose(site)
            if site.get("name"):
                at = Placement(carrier, here.rotation, here.translation)
                self.frames.setdefault(site.get("name", ""), at)


def _joint(node: Element, document: Document, body: str) -> Joint:
    """Return a hinge or slide whose frame has its origin at the anchor and the body's axes."""
    name = node.get("name", "")
    place = document.place(node)
    kind = node.get("type", "hinge")
    if kind not in ("hinge", "slide"):
        raise place.error(f"{kind} joints are not supported: write hinge joints")
    if place.number(node, "ref", default=0.0):
        raise place.error(f'ref="{node.get("ref")}" is not supported: count positions from 0')
    if place.number(node, "stiffness", default=0.0):
        _warn(f"{place}: its spring (stiffness) is not honoured")
    axis = unit(place.numbers(node, "axis", count=3, default=(0.0, 0.0, 1.0)), place)
    joint = Joint(
        name=name,
        type="revolute" if kind == "hinge" else "prismatic",
        parent="",
        child=f"{body}/{name}",
        origin=UNMOVED,
        axis=axis,
        damping=place.at_least_zero(node, "damping"),
        friction=place.at_least_zero(node, "frictionloss"),
    )
    limits = replace(joint.limits, **_limits(node, document, place))
    return replace(joint, limits=limits)


def _limits(node: Element, document: Document, place: Place) -> dict[str, float]:
    """Return the limits that a joint has, by their names in its ``limits``."""
    as_position = float if node.get("type") == "slide" else document.angle
    automatic = document.compiler.get("autolimits", "true") == "true"
    limited = node.get("limited", "auto")
    found: dict[str, float] = {}
    if "range" in node.attrib and (limited == "true" or (limited == "auto" and automatic)):
        lower, upper = place.numbers(node, "range", count=2, default=None)
        found |= {"lower": as_position(lower), "upper": as_position(upper)}
    torques = place.numbers(node, "actuatorfrcrange", count=2, default=(0.0, 0.0))
    return found | ({"effort": max(map(abs, torques))} if any(torques) else {})


def _motion(joint: Joint, position: float) -> Pose:
    """Return the placement of what a joint moves, at a position [rad or m]."""
    if joint.type == "prismatic":
        return Pose(np.eye(3), position * joint.axis)
    return Pose(rotation_about(joint.axis, position), np.zeros(3))


def _warn(message: str) -> None:
    warnings.warn(message, RobotWarning, stacklevel=2)

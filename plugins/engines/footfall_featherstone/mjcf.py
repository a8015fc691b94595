"""The bodies of an MJCF in normal form (see ``ModelSource``), in the file's order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import FileElement, Inertial, Joint
from footfall.api.engine import LinkFrame, ModelSource, Pose, rotation_about
from footfall.api.plugin import Floats, RobotError
from footfall_featherstone.bodies import Bodies, Body

WORLD = "world"
UNMOVED = Pose(np.eye(3), np.zeros(3))


def read_mjcf(source: ModelSource) -> Bodies:
    """Read the bodies of an MJCF, in the file's order.

    Raises:
        RobotError: if the text is malformed, or lacks the base or a kept or locked joint; names the
            element.
    """
    try:
        top = ElementTree.fromstring(source.xml)
    except ElementTree.ParseError as error:
        raise RobotError(f"{source.path}: malformed XML: {error}") from error
    roots, reader = top.findall("worldbody/body"), _Reader(source)
    source.require_base(roots)
    if source.base == "fixed":
        reader.bodies.append(Body(WORLD, -1, None, UNMOVED))
        reader.frames[WORLD] = LinkFrame(0, np.eye(3), np.zeros(3))
    for root in roots:
        reader.read_body(root, 0, UNMOVED)
    source.require_joints(reader.names)
    if source.joints is not None and source.joints != tuple(reader.kept()):
        raise RobotError(f"{source.path}: kept joints must be in the file's order")
    frames = reader.joint_frames | reader.frames
    return Bodies(tuple(reader.bodies), frames, reader.armature)


@dataclass(slots=True)
class _Reader:
    """Reader that collects bodies and frames.

    Attributes:
        source: the model source, which names the kept joints.
        bodies: the tree's bodies so far.
        frames: placements of the file's bodies and sites.
        joint_frames: placements of its joints, on the link they move.
        names: names of all hinges and slides, in the file's order.
        armature: reflected inertia by joint, [kg m^2 or kg].
    """

    source: ModelSource
    bodies: list[Body] = field(default_factory=list)
    frames: dict[str, LinkFrame] = field(default_factory=dict)
    joint_frames: dict[str, LinkFrame] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    armature: dict[str, float] = field(default_factory=dict)

    def kept(self) -> Iterator[str]:
        """Yield the names of the joints that move, in the order of their bodies."""
        return (body.joint.name for body in self.bodies if body.joint is not None)

    def read_body(self, node: Element, carrier: int, outer: Pose) -> None:
        """Add a body of the file: first its joints, then the body, then its children.

        Args:
            node: the file's body.
            carrier: index of the tree's body that carries it.
            outer: placement of its parent's frame in that body.
        """
        name = node.get("name", "")
        if node.find("freejoint") is not None:
            self.bodies.append(Body(name, -1, None, UNMOVED))
            pose = UNMOVED  # the placement is part of q
        else:
            carrier, pose = self.read_joints(node, carrier, outer @ self.pose(node))
        for inertial in node.findall("inertial"):
            self.bodies[carrier].parts.append((pose, self.inertial(inertial)))
        self.add_frames(node, carrier, pose)
        for child in node.findall("body"):
            self.read_body(child, carrier, pose)

    def read_joints(self, node: Element, carrier: int, pose: Pose) -> tuple[int, Pose]:
        """Add a body's joints in a chain; return the carrier of the body and its placement there.

        A joint turns or slides its body about an anchor, ``pos``, with the body's axes; the moved
        link's origin is the anchor.
        """
        joints, name = node.findall("joint"), node.get("name", "")
        for given in joints:
            joint = self.joint(given, name)
            self.names.append(joint.name)
            self.armature[joint.name] = float(self.numbers(given, "armature", 1)[0])
            anchor = self.numbers(given, "pos", 3)
            there, back = Pose(np.eye(3), anchor), Pose(np.eye(3), -anchor)
            if self.source.joints is None or joint.name in self.source.joints:
                link = name if given is joints[-1] else joint.child
                self.bodies.append(Body(link, carrier, joint, pose @ there))
                carrier, pose = len(self.bodies) - 1, back
            else:
                position = self.source.locked.get(joint.name, 0.0)
                pose = pose @ there @ _motion(joint, position) @ back
            here = pose @ there
            self.joint_frames[joint.name] = LinkFrame(carrier, here.rotation, here.translation)
            if given is not joints[-1]:  # the body with its later joints rigid
                self.frames[joint.child] = LinkFrame(carrier, pose.rotation, pose.translation)
        return carrier, pose

    def add_frames(self, node: Element, carrier: int, pose: Pose) -> None:
        """Record the placements of a body and its sites; the first owner of a name keeps it."""
        self.frames.setdefault(
            node.get("name", ""), LinkFrame(carrier, pose.rotation, pose.translation)
        )
        for site in node.findall("site"):
            here = pose @ self.pose(site)
            if site.get("name"):
                at = LinkFrame(carrier, here.rotation, here.translation)
                self.frames.setdefault(site.get("name", ""), at)

    def joint(self, node: Element, body: str) -> Joint:
        """Return a hinge or slide; its frame has its origin at the anchor and the body's axes."""
        name = node.get("name", "")
        joint = Joint(
            name=name,
            type="revolute" if node.get("type") == "hinge" else "prismatic",
            parent="",
            child=f"{body}/{name}",
            origin=UNMOVED,
            axis=self.numbers(node, "axis", 3),
            damping=float(self.numbers(node, "damping", 1)[0]),
            friction=float(self.numbers(node, "frictionloss", 1)[0]),
        )
        limits: dict[str, float] = {}
        if "range" in node.attrib:
            limits["lower"], limits["upper"] = self.numbers(node, "range", 2)
        if "actuatorfrcrange" in node.attrib:
            limits["effort"] = float(np.abs(self.numbers(node, "actuatorfrcrange", 2)).max())
        return replace(joint, limits=replace(joint.limits, **limits))

    def inertial(self, node: Element) -> Inertial:
        """Return mass properties in a body's frame."""
        xx, yy, zz, xy, xz, yz = self.numbers(node, "fullinertia", 6)
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        mass = float(self.numbers(node, "mass", 1)[0])
        return Inertial(mass, self.numbers(node, "pos", 3), moments)

    def pose(self, node: Element) -> Pose:
        """Return an element's pose, ``R = 1 + 2 w [v] + 2 [v][v]`` for its quaternion ``w, v``."""
        w, *v = self.numbers(node, "quat", 4)
        K = np.cross(v, np.eye(3)).T
        return Pose(np.eye(3) + 2.0 * w * K + 2.0 * K @ K, self.numbers(node, "pos", 3))

    def numbers(self, node: Element, key: str, count: int) -> Floats:
        """Return the numbers of an attribute, shape (count,)."""
        place = FileElement(self.source.path, f'{node.tag} "{node.get("name", "")}"')
        return np.array(place.numbers(node, key, count=count, default=None))


def _motion(joint: Joint, position: float) -> Pose:
    """Return the placement of a joint's moved frame at a position [rad or m]."""
    if joint.type == "prismatic":
        return Pose(np.eye(3), position * joint.axis)
    return Pose(rotation_about(joint.axis, position), np.zeros(3))

"""Links, joints and shapes of a URDF as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from footfall.config.friction import DirectionalFriction
from footfall.geometry.shapes import Color, Shape
from footfall.spatial.pose import Pose
from footfall.typing import Floats

JointType = Literal["revolute", "continuous", "prismatic", "fixed"]


@dataclass(frozen=True, slots=True, eq=False)
class Inertial:
    """Mass properties of a link.

    Attributes:
        mass: [kg].
        com: shape (3,), centre of mass, [m], link frame.
        inertia: shape (3, 3), about the centre of mass, link axes, [kg m^2].
    """

    mass: float
    com: Floats
    inertia: Floats

    @staticmethod
    def weld(parts: Iterable[tuple[Pose, Inertial]]) -> Inertial:
        """Return the mass properties of bodies welded together, in the common frame.

        ``I = sum R I_k R' + m_k (|d|^2 1 - d d')`` with d from the common centre of mass (Steiner).

        Args:
            parts: each body's placement in the common frame and its properties in its own.
        """
        placed = [
            (part.mass, pose.apply(part.com), pose.rotation @ part.inertia @ pose.rotation.T)
            for pose, part in parts
        ]
        mass = sum(m for m, _, _ in placed)
        com = sum((m * c for m, c, _ in placed), np.zeros(3)) / mass
        inertia = np.zeros((3, 3))
        for m, c, about_own in placed:
            d = c - com
            inertia += about_own + m * (d @ d * np.eye(3) - np.outer(d, d))
        return Inertial(mass, com, 0.5 * (inertia + inertia.T))


@dataclass(frozen=True, slots=True, eq=False)
class Visual:
    """A shape to draw.

    Attributes:
        origin: placement in its link's frame.
        shape: the shape to draw.
        color: colour, None if the file gives none.
        texture: path of an image for a mesh.
        covers: whether colour and texture replace the materials of a mesh file; otherwise they are
            used only for parts without a material.
    """

    origin: Pose
    shape: Shape
    color: Color | None
    texture: str | None = None
    covers: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Collision:
    """A shape that can touch others, placed in its link's frame."""

    origin: Pose
    shape: Shape


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link; ``inertial`` is None for a massless one."""

    name: str
    inertial: Inertial | None
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a joint, infinite if not limited.

    Attributes:
        lower: [rad or m].
        upper: [rad or m].
        velocity: [rad/s or m/s].
        effort: [N m or N].
    """

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint from a parent link to a child link.

    Attributes:
        name: unique among joints.
        type: ``continuous`` is a revolute joint without position limits.
        parent: name of the link towards the root.
        child: name of the link that it carries; the child's frame is the joint's frame.
        origin: the joint's frame in the parent's frame, at position 0.
        axis: shape (3,), unit, joint frame; +x for a fixed joint.
        limits: position, velocity and effort.
        damping: viscous coefficient, [N m s/rad or N s/m].
        friction: Coulomb friction, [N m or N].
        mimics: name of the joint that this one follows in the file, or None.
        ratio: motion of this joint per unit motion of the joint that it mimics, [-] or in their
            units.
        offset: its position when that joint is at zero, [rad or m].
    """

    name: str
    type: JointType
    parent: str
    child: str
    origin: Pose
    axis: Floats
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    mimics: str | None = None
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Urdf:
    """A checked URDF: one tree, every joint's links exist, all numbers finite.

    Attributes:
        path: the file.
        name: name of the robot.
        root: name of the link that no joint carries.
        links: links by name, in the file's order.
        joints: joints by name, in the file's order.
    """

    path: Path
    name: str
    root: str
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]

    @property
    def movable(self) -> tuple[str, ...]:
        """Names of the joints that are not fixed, in canonical order."""
        return tuple(joint.name for joint in self.depth_first() if joint.type != "fixed")

    def depth_first(self) -> Iterator[Joint]:
        """Yield every joint, depth first from the root, the joints of a link by name."""
        children: dict[str, list[Joint]] = {name: [] for name in self.links}
        for joint in sorted(self.joints.values(), key=lambda joint: joint.name, reverse=True):
            children[joint.parent].append(joint)
        stack = list(children[self.root])
        while stack:
            joint = stack.pop()
            yield joint
            stack.extend(children[joint.child])


@dataclass(frozen=True, slots=True, eq=False)
class PlacedShape:
    """A shape on a link of a model.

    Attributes:
        frame: name of the link (the body in an MJCF file), which is a frame of the tree.
        origin: placement of the shape in the link's frame.
        shape: the shape.
        meshes: use of a mesh: its convex hull, or its triangles as they are.
        friction: of its side; None for the robot's.
        restitution: coefficient of its side, [-]; None for the robot's.
        bits: an MJCF's ``contype`` and ``conaffinity``: two shapes of one robot may touch if the
            contype of one shares a bit with the conaffinity of the other.
    """

    frame: str
    origin: Pose
    shape: Shape
    meshes: Literal["hull", "triangles"] = "hull"
    friction: float | DirectionalFriction | None = None
    restitution: float | None = None
    bits: tuple[int, int] = (1, 1)

    def may_touch(self, other: PlacedShape) -> bool:
        """Return whether the file's bits let two shapes of one robot touch."""
        return bool(self.bits[0] & other.bits[1] or other.bits[0] & self.bits[1])

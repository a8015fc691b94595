"""The bodies of a tree: links welded by fixed joints form one body, carried by one joint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from footfall.api.advanced import Inertial, Joint, read_urdf
from footfall.api.engine import LinkFrame, ModelSource, Pose
from footfall.api.plugin import RobotError


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The base, or the welded links that one movable joint moves.

    Attributes:
        name: name of its first link, whose frame is the body's frame.
        carrier: index of the body that carries its joint, -1 for the base.
        joint: the joint that moves it, None for the base.
        origin: placement of the joint's frame, in the frame of the body that carries it.
        parts: placement in its frame, and mass properties, of each link with mass.
    """

    name: str
    carrier: int
    joint: Joint | None
    origin: Pose
    parts: list[tuple[Pose, Inertial]] = field(default_factory=list)

    @property
    def inertial(self) -> Inertial | None:
        """Mass properties of all parts together, in the body's frame; None without mass."""
        return Inertial.weld(self.parts) if self.parts else None


@dataclass(frozen=True, slots=True, eq=False)
class Bodies:
    """A tree as bodies.

    Attributes:
        bodies: parents before their children, in the canonical order of their joints.
        frames: placements of links, and of joints on the link they move, by name; a link takes
            precedence over a joint of the same name.
        armature: reflected inertia from the file, by joint, [kg m^2 or kg].
    """

    bodies: tuple[Body, ...]
    frames: dict[str, LinkFrame]
    armature: dict[str, float] = field(default_factory=dict)


_read = lru_cache(maxsize=16)(read_urdf)
"""Reads a URDF in normal form, which is kept: the same robot is often loaded again."""


def read_urdf_bodies(source: ModelSource) -> Bodies:
    """Read the bodies of a URDF in normal form.

    Raises:
        RobotError: if it is no URDF, is not in normal form, or its joints are not those of the
            source in their order.
    """
    urdf = _read(source.path, source.xml)
    joints = source.joints or ()
    source.require_joints(urdf.joints)
    if urdf.movable != joints:
        raise RobotError(
            f"{source.path}: its movable joints, depth first, are {_listed(urdf.movable)}; the "
            f"source names {_listed(joints)}"
        )
    inertials = {link.name: link.inertial for link in urdf.links.values()}
    return weld_bodies(urdf.root, urdf.depth_first(), inertials)


def weld_bodies(
    root: str, joints: Iterable[Joint], inertials: Mapping[str, Inertial | None]
) -> Bodies:
    """Weld links into bodies.

    Args:
        root: name of the root link.
        joints: the joints, each after its parent joint.
        inertials: mass properties of the links by name, None for a massless one.
    """
    bodies = [Body(root, -1, None, Pose.identity())]
    places = {root: (0, Pose.identity())}
    joint_places = {}
    for joint in joints:
        carrier, pose = places[joint.parent]
        here = pose @ joint.origin
        if joint.type != "fixed":
            bodies.append(Body(joint.child, carrier, joint, here))
            carrier, here = len(bodies) - 1, Pose.identity()
        places[joint.child] = joint_places[joint.name] = carrier, here
    for name, (body, pose) in places.items():
        inertial = inertials[name]
        if inertial is not None:
            bodies[body].parts.append((pose, inertial))
    frames = {
        name: LinkFrame(body, pose.rotation, pose.translation)
        for name, (body, pose) in (joint_places | places).items()
    }
    return Bodies(tuple(bodies), frames)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"

"""Small linkages given as numbers, the source of both a URDF and the reference."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from footfall.interfaces.engine import BaseKind, ModelSource
from footfall.typing import Floats

GRAVITY = np.array([1.5, -3.0, -8.0])
"""Gravity along no axis, [m/s^2]."""
DAMPING, FRICTION, LIMIT = 0.3, 0.2, 2.0
"""Values of every joint: [N m s/rad or N s/m], [N m or N], symmetric limit [rad or m]."""


@dataclass(frozen=True, slots=True)
class Member:
    """A link and the joint that carries it.

    Attributes:
        joint: its name; empty for the root.
        kind: ``root``, ``revolute``, ``prismatic`` or ``fixed``.
        parent: index of the parent in the linkage, -1 for the root.
        xyz: shape (3,), the joint in the parent's frame, [m].
        rpy: shape (3,), roll, pitch, yaw of the same, [rad].
        axis: shape (3,), unit, in the joint's frame.
        mass: [kg]; 0 for a link without inertial data.
        com: shape (3,), [m], link frame.
        inertia: shape (3, 3), about the centre of mass, link axes, [kg m^2].
    """

    joint: str
    kind: str
    parent: int
    xyz: Floats
    rpy: Floats
    axis: Floats
    mass: float
    com: Floats
    inertia: Floats

    @property
    def link(self) -> str:
        """Name of the link."""
        return f"{self.joint}_link" if self.joint else "trunk"

    @property
    def moves(self) -> bool:
        """Whether the joint has a dof."""
        return self.kind in ("revolute", "prismatic")


Linkage = tuple[Member, ...]
"""Depth first, children by joint name; the root first."""


def branched() -> Linkage:
    """Return a trunk with a slide, and an arm whose wrist follows a welded tool."""
    return (
        _member(0, "", "root", -1),
        _member(1, "a_slide", "prismatic", 0),
        _member(2, "b_arm", "revolute", 0),
        _member(3, "c_weld", "fixed", 2),
        _member(4, "d_wrist", "revolute", 3),
    )


def planar() -> Linkage:
    """Return a body held by two prismatic joints and a revolute one, with an arm."""
    kinds = (("planar_x", "prismatic"), ("planar_z", "prismatic"), ("planar_pitch", "revolute"))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    still = np.zeros(3)
    massless = (0.0, still, np.zeros((3, 3)))
    chain = [Member("", "root", -1, still, still, still, *massless)]
    for i, (name, kind) in enumerate(kinds):
        body = _member(7, name, kind, i)
        inertial = (body.mass, body.com, body.inertia) if i == 2 else massless
        chain.append(Member(name, kind, i, still, still, axes[i], *inertial))
    return (*chain, _member(8, "z_arm", "revolute", 3))


def source_of(linkage: Linkage, base: BaseKind, gravity: Floats = GRAVITY) -> ModelSource:
    """Return the model source that an engine loads."""
    joints = tuple(member.joint for member in linkage if member.moves)
    return ModelSource("linkage", "urdf", "linkage.urdf", urdf(linkage), base, gravity, joints)


def urdf(linkage: Linkage) -> str:
    """Write a linkage as a URDF, with all digits of each number."""
    robot = Element("robot", name="linkage")
    for member in linkage:
        link = SubElement(robot, "link", name=member.link)
        if member.mass:
            _add_inertial(link, member)
    for member in linkage:
        if member.joint:
            _add_joint(robot, member, linkage[member.parent].link)
    return tostring(robot, encoding="unicode")


def _add_inertial(link: Element, member: Member) -> None:
    inertial, I = SubElement(link, "inertial"), member.inertia  # noqa: E741 - the field's letter
    SubElement(inertial, "origin", xyz=_text(member.com), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(member.mass))
    at = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    SubElement(inertial, "inertia", {key: repr(float(I[ij])) for key, ij in at.items()})


def _add_joint(robot: Element, member: Member, parent: str) -> None:
    joint = SubElement(robot, "joint", name=member.joint, type=member.kind)
    SubElement(joint, "origin", xyz=_text(member.xyz), rpy=_text(member.rpy))
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=member.link)
    if member.moves:
        SubElement(joint, "axis", xyz=_text(member.axis))
        bounds = {"lower": -LIMIT, "upper": LIMIT, "velocity": 5.0, "effort": 50.0}
        SubElement(joint, "limit", {key: repr(value) for key, value in bounds.items()})
        SubElement(joint, "dynamics", damping=repr(DAMPING), friction=repr(FRICTION))


def _text(vector: Floats) -> str:
    return " ".join(repr(float(value)) for value in vector)


def _member(seed: int, joint: str, kind: str, parent: int) -> Member:
    """Return a member with generic numbers; its inertia is that of eight point masses."""
    rng = np.random.default_rng(100 + seed)
    points, masses = rng.uniform(-0.2, 0.2, (8, 3)), rng.uniform(0.1, 0.4, 8)
    com = masses @ points / masses.sum()
    r = points - com
    inertia = (masses * (r * r).sum(axis=1)).sum() * np.eye(3) - (masses[:, None] * r).T @ r
    axis = rng.normal(size=3)
    return Member(
        joint,
        kind,
        parent,
        rng.uniform(-0.3, 0.3, 3),
        rng.uniform(-1.0, 1.0, 3),
        axis / np.linalg.norm(axis),
        float(masses.sum()),
        com,
        inertia,
    )

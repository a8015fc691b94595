"""Robots out of primitive shapes: solids of uniform density on links, written as a URDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.formats.urdf import Inertial
from footfall.spatial.pose import Pose

Vector = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
QUARTER = np.pi / 2
TURN: Mapping[str, Vector] = {"x": (0.0, QUARTER, 0.0), "y": (QUARTER, 0.0, 0.0)}
"""Roll, pitch and yaw that bring a cylinder's axis from z to another, [rad]."""


@dataclass(frozen=True)
class Solid:
    """A solid of uniform density.

    Attributes:
        kind: ``box`` (lengths), ``sphere`` (radius) or ``cylinder`` (radius, length).
        size: [m].
        mass: [kg].
        at: centre, [m], link frame.
        color: name of a material.
        along: axis of a cylinder.
    """

    kind: Literal["box", "sphere", "cylinder"]
    size: tuple[float, ...]
    mass: float
    at: Vector = (0.0, 0.0, 0.0)
    color: str = "shell"
    along: Literal["x", "y", "z"] = "z"

    def inertial(self) -> Inertial:
        """Return the mass properties about the solid's own centre."""
        return Inertial(self.mass, np.array(self.at), np.diag(self.moments()) * self.mass)

    def moments(self) -> Vector:
        """Return the principal moments of inertia for a mass of 1 kg, [m^2]."""
        match self.kind, self.size:
            case "box", (x, y, z):
                return (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12
            case "sphere", (r,):
                return 0.4 * r * r, 0.4 * r * r, 0.4 * r * r
            case "cylinder", (r, h):
                across, own = (3 * r * r + h * h) / 12, r * r / 2
                x, y, z = (own if axis == self.along else across for axis in "xyz")
                return x, y, z
        raise ValueError(f"{self.kind} of size {self.size}")


@dataclass(frozen=True)
class Drive:
    """Limits of a joint: position [rad], torque [N m], speed [rad/s], damping [N m s/rad]."""

    lower: float
    upper: float
    effort: float
    velocity: float = 12.0
    damping: float = 0.5


@dataclass(frozen=True)
class Part:
    """A link and the joint that carries it; without a drive it is welded on.

    ``shapes``, if there are any, are seen and touched in place of the solids, which weigh. ``at``
    and ``rpy`` place the joint in its parent, [m] and [rad].
    """

    name: str
    parent: str
    at: Vector
    solids: tuple[Solid, ...] = ()
    joint: str = ""
    axis: Vector = Z
    drive: Drive | None = None
    shapes: tuple[Solid, ...] = ()
    rpy: Vector = (0.0, 0.0, 0.0)


def write_model(script: str, name: str, parts: Iterable[Part], colors: Mapping[str, str]) -> None:
    """Write ``model.urdf`` beside a script.

    Args:
        script: path of the script, its ``__file__``.
        name: of the robot.
        parts: the root first.
        colors: materials by name: red, green, blue and opacity from 0 to 1.
    """
    robot = Element("robot", name=name)
    for name, rgba in colors.items():
        SubElement(SubElement(robot, "material", name=name), "color", rgba=rgba)
    for part in parts:
        add_link(robot, part)
        if part.parent:
            add_joint(robot, part)
    ElementTree.indent(robot)
    xml = ElementTree.tostring(robot, encoding="unicode")
    note = "<!-- Written by make_model.py: change it there. -->"
    file = Path(script).with_name("model.urdf")
    file.write_text(f"{note}\n{xml}\n", encoding="utf-8")


def add_link(robot: Element, part: Part) -> None:
    """Add a part's link."""
    link = SubElement(robot, "link", name=part.name)
    if not part.solids:
        return
    total = Inertial.weld((Pose.identity(), solid.inertial()) for solid in part.solids)
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=text(*total.com))
    SubElement(inertial, "mass", value=text(total.mass))
    pairs = {
        "ixx": (0, 0),
        "ixy": (0, 1),
        "ixz": (0, 2),
        "iyy": (1, 1),
        "iyz": (1, 2),
        "izz": (2, 2),
    }
    SubElement(inertial, "inertia", {key: text(total.inertia[at]) for key, at in pairs.items()})
    for tag in ("visual", "collision"):
        for solid in part.shapes or part.solids:
            add_shape(link, tag, solid)


def add_shape(link: Element, tag: str, solid: Solid) -> None:
    """Add a solid as a visual or a collision."""
    node = SubElement(link, tag)
    origin = SubElement(node, "origin", xyz=text(*solid.at))
    if solid.along in TURN:
        origin.set("rpy", text(*TURN[solid.along]))
    keys = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length")}[solid.kind]
    values = [text(*solid.size)] if solid.kind == "box" else [text(value) for value in solid.size]
    SubElement(SubElement(node, "geometry"), solid.kind, dict(zip(keys, values, strict=True)))
    if tag == "visual":
        SubElement(node, "material", name=solid.color)


def add_joint(robot: Element, part: Part) -> None:
    """Add the joint that carries a part."""
    kind = "revolute" if part.drive else "fixed"
    joint = SubElement(robot, "joint", name=part.joint, type=kind)
    origin = SubElement(joint, "origin", xyz=text(*part.at))
    if any(part.rpy):
        origin.set("rpy", text(*part.rpy))
    SubElement(joint, "parent", link=part.parent)
    SubElement(joint, "child", link=part.name)
    if part.drive is None:
        return
    SubElement(joint, "axis", xyz=text(*part.axis))
    drive = part.drive
    limits = {"lower": drive.lower, "upper": drive.upper}
    limits |= {"effort": drive.effort, "velocity": drive.velocity}
    SubElement(joint, "limit", {key: text(value) for key, value in limits.items()})
    SubElement(joint, "dynamics", damping=text(drive.damping))


def text(*values: float) -> str:
    """Write numbers with 9 digits: the same on every machine."""
    return " ".join(f"{value:.9g}" for value in (float(value) + 0.0 for value in values))

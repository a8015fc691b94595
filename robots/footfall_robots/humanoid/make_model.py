"""Write ``model.urdf``: a humanoid of 30 joints, 1.6 m and about 57 kg, out of primitive shapes.

Run ``python make_model.py`` after a change. Every link is a few solids of uniform density; its mass
properties are exactly theirs. Axes at zero position: x forwards, y to the left, z up, arms and
legs straight down. Proportions and masses are those of a slender adult (Winter, *Biomechanics and
Motor Control of Human Movement*, table 4.1), with motors' masses at the joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.robot.inertia import weld
from footfall.robot.pose import Pose
from footfall.robot.urdf import Inertial

Vector = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

SHANK = THIGH = 0.37
"""Ankle to knee and knee to hip, [m]; equal, so that a squat keeps the hip above the ankle."""
ANKLE = 0.08
"""Height of the ankle above the sole, [m]."""
FOOT: Vector = (0.22, 0.10, 0.03)
"""Length, width and thickness of a foot, [m]."""
FOOT_CENTER = 0.035
"""Middle of the foot in front of the ankle, [m]."""


@dataclass(frozen=True)
class Solid:
    """A solid of uniform density.

    Attributes:
        kind: ``box`` (lengths), ``sphere`` (radius) or ``cylinder`` (radius, length, axis z).
        size: [m].
        mass: [kg].
        at: centre, [m], link frame.
        color: name of a material.
    """

    kind: Literal["box", "sphere", "cylinder"]
    size: tuple[float, ...]
    mass: float
    at: Vector = (0.0, 0.0, 0.0)
    color: str = "shell"

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
                across = (3 * r * r + h * h) / 12
                return across, across, r * r / 2
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
    """A link and the joint that carries it; without a drive it is welded on."""

    name: str
    parent: str
    at: Vector
    solids: tuple[Solid, ...] = ()
    joint: str = ""
    axis: Vector = Z
    drive: Drive | None = None


def motor(mass: float, radius: float) -> Solid:
    """Return the round housing of a joint's motor."""
    return Solid("sphere", (radius,), mass, color="motor")


def trunk() -> list[Part]:
    """Return pelvis, chest and head."""
    return [
        Part("pelvis", "", (0, 0, 0), (Solid("box", (0.14, 0.24, 0.14), 7.0, (0, 0, 0.01)),)),
        Part(
            "torso_1", "pelvis", (0, 0, 0.11), (motor(1.0, 0.06),),
            "torso_yaw", Z, Drive(-1.0, 1.0, 120),
        ),
        Part(
            "chest", "torso_1", (0, 0, 0),
            (Solid("box", (0.16, 0.28, 0.32), 13.0, (0, 0, 0.22)),),
            "torso_pitch", Y, Drive(-0.4, 1.0, 150),
        ),
        Part(
            "neck", "chest", (0, 0, 0.40), (Solid("cylinder", (0.045, 0.08), 0.6, (0, 0, 0.03)),),
            "neck_yaw", Z, Drive(-1.2, 1.2, 20, damping=0.1),
        ),
        Part(
            "head", "neck", (0, 0, 0.06),
            (
                Solid("sphere", (0.105,), 3.0, (0.01, 0, 0.08)),
                Solid("box", (0.03, 0.11, 0.03), 0.1, (0.10, 0, 0.10), "motor"),
            ),
            "neck_pitch", Y, Drive(-0.6, 0.8, 20, damping=0.1),
        ),
    ]  # fmt: skip


def leg(side: str, s: float) -> list[Part]:
    """Return a leg; ``s`` is +1 for the left one, -1 for the right one."""
    lower_roll, upper_roll = sorted((-0.4 * s, 0.8 * s))
    return [
        Part(
            f"{side}_hip_1", "pelvis", (0, 0.09 * s, -0.06), (motor(1.0, 0.06),),
            f"{side}_hip_yaw", Z, Drive(-0.8, 0.8, 80),
        ),
        Part(
            f"{side}_hip_2", f"{side}_hip_1", (0, 0, 0), (motor(1.0, 0.06),),
            f"{side}_hip_roll", X, Drive(lower_roll, upper_roll, 150),
        ),
        Part(
            f"{side}_thigh", f"{side}_hip_2", (0, 0, 0),
            (Solid("cylinder", (0.06, THIGH - 0.06), 5.0, (0, 0, -THIGH / 2)),),
            f"{side}_hip_pitch", Y, Drive(-2.0, 0.7, 200),
        ),
        Part(
            f"{side}_shank", f"{side}_thigh", (0, 0, -THIGH),
            (
                motor(0.8, 0.055),
                Solid("cylinder", (0.045, SHANK - 0.06), 2.2, (0, 0, -SHANK / 2)),
            ),
            f"{side}_knee", Y, Drive(0.0, 2.4, 200),
        ),
        Part(
            f"{side}_ankle", f"{side}_shank", (0, 0, -SHANK), (motor(0.5, 0.045),),
            f"{side}_ankle_pitch", Y, Drive(-0.9, 0.7, 120),
        ),
        Part(
            f"{side}_foot", f"{side}_ankle", (0, 0, 0),
            (Solid("box", FOOT, 1.0, (FOOT_CENTER, 0, FOOT[2] / 2 - ANKLE), "motor"),),
            f"{side}_ankle_roll", X, Drive(-0.5, 0.5, 80),
        ),
        Part(f"{side}_sole", f"{side}_foot", (0, 0, -ANKLE), joint=f"{side}_sole_fixed"),
    ]  # fmt: skip


def arm(side: str, s: float) -> list[Part]:
    """Return an arm; ``s`` is +1 for the left one, -1 for the right one."""
    lower_roll, upper_roll = sorted((-0.2 * s, 2.8 * s))
    upper, lower = 0.27, 0.24
    return [
        Part(
            f"{side}_shoulder_1", "chest", (0, 0.20 * s, 0.33), (motor(0.5, 0.05),),
            f"{side}_shoulder_pitch", Y, Drive(-2.8, 1.2, 60, damping=0.2),
        ),
        Part(
            f"{side}_shoulder_2", f"{side}_shoulder_1", (0, 0, 0), (motor(0.5, 0.05),),
            f"{side}_shoulder_roll", X, Drive(lower_roll, upper_roll, 60, damping=0.2),
        ),
        Part(
            f"{side}_upper_arm", f"{side}_shoulder_2", (0, 0, 0),
            (Solid("cylinder", (0.04, upper - 0.06), 1.6, (0, 0, -upper / 2)),),
            f"{side}_shoulder_yaw", Z, Drive(-1.5, 1.5, 40, damping=0.2),
        ),
        Part(
            f"{side}_forearm", f"{side}_upper_arm", (0, 0, -upper),
            (
                motor(0.3, 0.042),
                Solid("cylinder", (0.034, lower - 0.06), 0.7, (0, 0, -lower / 2)),
            ),
            f"{side}_elbow", Y, Drive(-2.4, 0.0, 40, damping=0.2),
        ),
        Part(
            f"{side}_wrist_1", f"{side}_forearm", (0, 0, -lower), (motor(0.25, 0.03),),
            f"{side}_wrist_yaw", Z, Drive(-1.5, 1.5, 15, damping=0.1),
        ),
        Part(
            f"{side}_wrist_2", f"{side}_wrist_1", (0, 0, 0), (motor(0.2, 0.03),),
            f"{side}_wrist_pitch", Y, Drive(-1.2, 1.2, 15, damping=0.1),
        ),
        Part(
            f"{side}_hand", f"{side}_wrist_2", (0, 0, 0),
            (Solid("box", (0.03, 0.08, 0.14), 0.45, (0, 0, -0.08)),),
            f"{side}_wrist_roll", X, Drive(-0.6, 0.6, 15, damping=0.1),
        ),
    ]  # fmt: skip


def model() -> Element:
    """Return the robot as a URDF element."""
    robot = Element("robot", name="humanoid")
    for name, rgba in (("shell", "0.80 0.82 0.86 1"), ("motor", "0.18 0.20 0.25 1")):
        SubElement(SubElement(robot, "material", name=name), "color", rgba=rgba)
    sides = [part for side, s in (("l", 1.0), ("r", -1.0)) for part in leg(side, s) + arm(side, s)]
    for part in trunk() + sides:
        add_link(robot, part)
        if part.parent:
            add_joint(robot, part)
    return robot


def add_link(robot: Element, part: Part) -> None:
    """Add a part's link."""
    link = SubElement(robot, "link", name=part.name)
    if not part.solids:
        return
    total = weld((Pose.identity(), solid.inertial()) for solid in part.solids)
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
        for solid in part.solids:
            add_shape(link, tag, solid)


def add_shape(link: Element, tag: str, solid: Solid) -> None:
    """Add a solid as a visual or a collision."""
    node = SubElement(link, tag)
    SubElement(node, "origin", xyz=text(*solid.at))
    keys = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length")}[solid.kind]
    values = [text(*solid.size)] if solid.kind == "box" else [text(value) for value in solid.size]
    SubElement(SubElement(node, "geometry"), solid.kind, dict(zip(keys, values, strict=True)))
    if tag == "visual":
        SubElement(node, "material", name=solid.color)


def add_joint(robot: Element, part: Part) -> None:
    """Add the joint that carries a part."""
    kind = "revolute" if part.drive else "fixed"
    joint = SubElement(robot, "joint", name=part.joint, type=kind)
    SubElement(joint, "origin", xyz=text(*part.at))
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


def main() -> None:
    """Write the file beside this script."""
    robot = model()
    ElementTree.indent(robot)
    xml = ElementTree.tostring(robot, encoding="unicode")
    note = "<!-- Written by make_model.py: change it there. -->"
    Path(__file__).with_name("model.urdf").write_text(f"{note}\n{xml}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""MJCF of a world: the exporter ``mjcf`` and the simulator ``mujoco`` write their models with it.

No geoms touch but the listed pairs. Numbers are written so that reading gives the same bits. MuJoCo
itself is not needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.api.engine import Pose
from footfall.api.plugin import Floats, SceneError
from footfall_simulators.skeleton import XX_TO_YZ, Joint, Link, turned_to
from footfall_stepper.api import CandidateKind, Geometry, World


def text(values: Floats | Iterable[float]) -> str:
    """Return numbers as text, without loss."""
    return " ".join(repr(float(value)) for value in values)


def quaternion(R: Floats) -> str:
    """Return the quaternion w x y z of a rotation, shape (3, 3), in the operations of MuJoCo."""
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    if a + e + i > 0.0:
        w = 0.5 * math.sqrt(1.0 + a + e + i)
        q = w, 0.25 * (h - f) / w, 0.25 * (c - g) / w, 0.25 * (d - b) / w
    elif a > e and a > i:
        x = 0.5 * math.sqrt(1.0 + a - e - i)
        q = 0.25 * (h - f) / x, x, 0.25 * (b + d) / x, 0.25 * (c + g) / x
    elif e > i:
        y = 0.5 * math.sqrt(1.0 - a + e - i)
        q = 0.25 * (c - g) / y, 0.25 * (b + d) / y, y, 0.25 * (f + h) / y
    else:
        z = 0.5 * math.sqrt(1.0 - a - e + i)
        q = 0.25 * (d - b) / z, 0.25 * (c + g) / z, 0.25 * (f + h) / z, z
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return text(x * (1.0 / norm) for x in q) if abs(norm - 1.0) > 1e-15 else text(q)


def placed(pose: Pose) -> dict[str, str]:
    """Return the attributes of a place; none if it is that of the outer frame."""
    if pose.is_identity():
        return {}
    return {"pos": text(pose.translation), "quat": quaternion(pose.rotation)}


class Model:
    """An MJCF under construction.

    Attributes:
        top: the top element.
        sections: its sections by tag; those that stay empty are left out.
    """

    def __init__(self, name: str, options: dict[str, str]) -> None:
        self.top = Element("mujoco", model=name)
        SubElement(self.top, "compiler", angle="radian", autolimits="true")
        self.option = SubElement(self.top, "option", options)
        tags = "asset", "worldbody", "contact", "equality", "actuator", "keyframe"
        self.sections = {tag: Element(tag) for tag in tags}

    @property
    def world(self) -> Element:
        """The element of all fixed shapes."""
        return self.sections["worldbody"]

    def written(self) -> str:
        """Return the text."""
        self.top.extend(section for section in self.sections.values() if len(section))
        ElementTree.indent(self.top)
        return ElementTree.tostring(self.top, encoding="unicode") + "\n"

    def add_body(self, outer: Element, name: str, pose: Pose, link: Link) -> Element:
        """Add the body of a link."""
        node = SubElement(outer, "body", {"name": name} | placed(pose))
        if link.mass != 0.0:
            moments = text(link.inertia[XX_TO_YZ])
            given = {"mass": repr(link.mass), "pos": text(link.com), "fullinertia": moments}
            SubElement(node, "inertial", given)
        return node

    def add_joint(self, node: Element, name: str, joint: Joint, far: float, **given: str) -> None:
        """Add a joint with its axis and limits.

        Args:
            node: body that it carries.
            name: its name.
            joint: the joint.
            far: value of a missing limit if the other limit is given, [rad or m].
            given: further attributes; they take precedence.
        """
        found = {"name": name, "type": joint.kind, "axis": text(joint.axis)}
        if np.isfinite(joint.limits).any():
            found["range"] = text(np.clip(joint.limits, -far, far))
        SubElement(node, "joint", found | given)

    def add_solid(self, outer: Element, name: str, solid: Geometry, pose: Pose) -> None:
        """Add a geom of a shape.

        Raises:
            SceneError: if MuJoCo has no such shape.
        """
        geometry: Any = solid
        found = {"name": name} | placed(pose)
        match type(solid).__name__:
            case "Sphere":
                found |= {"type": "sphere", "size": repr(float(geometry.radius))}
            case "Box":
                found |= {"type": "box", "size": text(0.5 * np.array(geometry.size))}
            case "Capsule" | "Cylinder" as kind:
                sizes = geometry.radius, 0.5 * geometry.length
                found |= {"type": kind.lower(), "size": text(sizes)}
            case "HalfSpace":
                found |= {"type": "plane", "size": "0 0 1"}
            case "Convex" | "TriangleMesh":
                points = text(np.ravel(geometry.vertices))
                SubElement(self.sections["asset"], "mesh", name=name, vertex=points)
                found |= {"type": "mesh", "mesh": name}
            case "HeightField":
                found |= self._heights(name, geometry, pose)
            case other:
                raise SceneError(f'simulator "mujoco" has no shape {other}')
        SubElement(outer, "geom", found | UNTOUCHED)

    def _heights(self, name: str, field: Any, pose: Pose) -> dict[str, str]:
        """Add a height field, and return what its geom has for it.

        Rows that lie far outside are left out, as of a ground that continues beyond its grid.

        Raises:
            SceneError: if the grid is not evenly spaced.
        """
        x, y, heights = field.x, field.y, field.heights
        if len(x) > 4 and x[1] - x[0] > 10.0 * (x[2] - x[1]):
            x, y, heights = x[1:-1], y[1:-1], heights[1:-1, 1:-1]
        if np.ptp(np.diff(x)) > 1e-6 * np.ptp(x) or np.ptp(np.diff(y)) > 1e-6 * np.ptp(y):
            raise SceneError('simulator "mujoco" needs an evenly spaced height grid')
        low, high = float(heights.min()), float(heights.max())
        rise = max(high - low, 1e-6)
        size = text((0.5 * np.ptp(x), 0.5 * np.ptp(y), rise, 1.0))
        # The first row of the text is the last along y.
        rows = text(((heights - low) / rise).T[::-1].ravel())
        grid = {"name": name, "nrow": str(len(y)), "ncol": str(len(x))}
        SubElement(self.sections["asset"], "hfield", grid, size=size, elevation=rows)
        middle = np.array([0.5 * (x[0] + x[-1]), 0.5 * (y[0] + y[-1]), low])
        return {
            "type": "hfield",
            "hfield": name,
            "pos": text(pose.rotation @ middle + pose.translation),
        }

    def add_contact(
        self, node: Element, name: str, world: World, c: int, small: float, **given: str
    ) -> None:
        """Add the geom of a declared contact.

        Args:
            node: body that has it.
            name: its name.
            world: the world.
            c: number of the contact, of a rim the first.
            small: radius that stands for a point, and half the thickness of a rim, [m].
            given: further attributes; they take precedence.
        """
        candidates = world.candidates
        kind, radius = int(candidates.kind[c]), float(candidates.radius[c])
        found = {"name": name, "pos": text(candidates.local[c])}
        if kind == CandidateKind.RIM:
            found |= {"type": "cylinder", "size": text((radius, small))}
            found["quat"] = quaternion(turned_to(candidates.axis[c]))
        else:
            found |= {
                "type": "sphere",
                "size": repr(small if kind == CandidateKind.POINT else radius),
            }
        SubElement(node, "geom", found | UNTOUCHED | given)

    def add_pair(self, one: str, other: str, **given: str) -> None:
        """Add two geoms that may touch."""
        SubElement(self.sections["contact"], "pair", {"geom1": one, "geom2": other} | given)


UNTOUCHED = {"contype": "0", "conaffinity": "0", "mass": "0"}
"""Attributes of a geom without mass that touches in listed pairs only."""

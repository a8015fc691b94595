"""Expansion of MJCF elements: frames are resolved, ball joints become three hinges."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall_import.mjcf.defaults import ORIENTATIONS
from footfall_import.mjcf.document import Document, range_of

PLACED = frozenset({"body", "geom", "site", "inertial", "camera", "light"})
"""Elements that have a placement."""
BALL_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
"""Axes of the three hinges of a ball joint, the first one outermost."""


def expand_frames(document: Document) -> None:
    """Replace each ``<frame>`` of the world by its content, moved by the frame's pose.

    Anchors and axes of joints are moved as well.
    """
    for world in document.top.findall("worldbody"):
        _expand_below(world, document)


def _expand_below(parent: Element, document: Document) -> None:
    while parent.find("frame") is not None:
        for i, node in reversed(list(enumerate(parent))):
            if node.tag == "frame":
                outer = document.pose(node)
                for child in node:
                    _move(child, outer, document)
                parent[i : i + 1] = list(node)
    for child in parent:
        _expand_below(child, document)


def _move(node: Element, outer: Pose, document: Document) -> None:
    place = document.place(node)
    if node.tag == "joint":
        anchor = np.array(place.numbers(node, "pos", count=3, default=(0.0, 0.0, 0.0)))
        axis = np.array(place.numbers(node, "axis", count=3, default=(0.0, 0.0, 1.0)))
        node.set("pos", _text(outer.apply(anchor)))
        node.set("axis", _text(outer.rotation @ axis))
    elif "fromto" in node.attrib:
        ends = np.array(place.numbers(node, "fromto", count=6, default=None)).reshape(2, 3)
        node.set("fromto", _text(np.concatenate([outer.apply(end) for end in ends])))
    elif node.tag in PLACED or node.tag == "frame":
        pose = outer @ document.pose(node)
        for key in ORIENTATIONS & node.attrib.keys():
            del node.attrib[key]
        x, y, z, w = Rotation.from_matrix(pose.rotation).as_quat()
        node.set("pos", _text(pose.translation))
        node.set("quat", _text(np.array([w, x, y, z])))


def _text(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)


KEPT = ("pos", "damping", "armature", "frictionloss", "stiffness")
"""Attributes of a ball joint that each of its hinges gets, about its own axis."""
WITHOUT_EFFECT = ("name", "class", "type", "axis", "group", "user", "ref", "springref")
"""Attributes without effect on a ball joint of MuJoCo."""


@dataclass(frozen=True, slots=True)
class Hinges:
    """The hinges that replace a ball joint.

    Attributes:
        names: names of the hinges about x, y and z.
        about: attributes that act about each of the three axes; MuJoCo's act on the rotation.
        lost: attributes that are not honoured.
    """

    names: tuple[str, ...]
    about: tuple[str, ...]
    lost: tuple[str, ...]


def ball_joints_as_hinges(document: Document) -> dict[str, Hinges]:
    """Replace ball joints by hinges about x, y and z; return the hinges by the ball joint's name.

    The rotation is ``Rx(a) Ry(b) Rz(c)``. It is singular at b = +-90 degrees, where the first and
    the last axis coincide.
    """
    hinges: dict[str, Hinges] = {}
    for body in (body for root in document.bodies for body in root.iter("body")):
        for i, joint in reversed(list(enumerate(body))):
            if joint.tag == "joint" and joint.get("type") == "ball":
                name = joint.get("name", "")
                kept = {key: value for key, value in joint.attrib.items() if key in KEPT}
                off = () if range_of(document, joint) else ("range", "limited")
                unread = {*joint.attrib} - {*KEPT, *WITHOUT_EFFECT, *off, "limited"}
                body[i : i + 1] = [
                    Element("joint", kept | {"name": f"{name}_{letter}", "axis": axis})
                    for letter, axis in BALL_AXES.items()
                ]
                hinges[name] = Hinges(
                    tuple(f"{name}_{letter}" for letter in BALL_AXES),
                    tuple(key for key in KEPT[1:] if float(kept.get(key, "0").split()[0])),
                    tuple(f'{key}="{joint.get(key)}"' for key in sorted(unread)),
                )
    return hinges


def ball_angles(wxyz: Floats) -> tuple[float, ...]:
    """Return the angles of the three hinges for a ball joint's quaternion, [rad]."""
    w, x, y, z = wxyz
    return tuple(float(angle) for angle in Rotation.from_quat([x, y, z, w]).as_euler("XYZ"))

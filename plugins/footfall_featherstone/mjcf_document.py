"""An MJCF with explicit attributes: its bodies, its compiler's settings, where its elements are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import NoReturn
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.errors import RobotError
from footfall.api.formats import Place
from footfall.api.geometry import Pose, rotation_about
from footfall.api.plugin import Floats

MASS_CHANGED = ("settotalmass", "boundmass", "boundinertia", "inertiagrouprange")
"""Settings of MuJoCo's compiler after which masses are not those that the file gives."""
LEAST = 1e-10
"""Length of an axis below which it is none."""


@dataclass(frozen=True, slots=True)
class Document:
    """An MJCF whose includes and default classes are written out.

    Attributes:
        path: of the file, for messages.
        top: its top element; every body and joint has a name.
        compiler: settings of MuJoCo's compiler.
    """

    path: str
    top: Element
    compiler: Mapping[str, str]

    @property
    def bodies(self) -> list[Element]:
        """The bodies that stand in the world."""
        return [b for world in self.top.findall("worldbody") for b in world.findall("body")]

    def place(self, node: Element) -> Place:
        """Return where an element is, for errors."""
        return Place(self.path, f'{node.tag} "{node.get("name", "")}"')

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return value if self.compiler.get("angle") == "radian" else math.radians(value)

    def pose(self, node: Element) -> Pose:
        """Return where an element is in the frame that it stands in (MuJoCo, frame orientations).

        Raises:
            RobotError: if a number is malformed, or an axis has no length.
        """
        origin = self.place(node).numbers(node, "pos", count=3, default=(0.0, 0.0, 0.0))
        return Pose(self.rotation(node), np.array(origin))

    def rotation(self, node: Element) -> Floats:
        """Return the rotation of an element, shape (3, 3), by whichever attribute gives it."""
        place = self.place(node)
        if "axisangle" in node.attrib:
            x, y, z, angle = place.numbers(node, "axisangle", count=4, default=None)
            return rotation_about(unit((x, y, z), place), self.angle(angle))
        if "euler" in node.attrib:
            return self._euler(place.numbers(node, "euler", count=3, default=None), place)
        if "xyaxes" in node.attrib:
            six = place.numbers(node, "xyaxes", count=6, default=None)
            x_axis = unit(six[:3], place)
            # The part of the second that is normal to the first.
            y_axis = unit(np.array(six[3:]) - x_axis @ np.array(six[3:]) * x_axis, place)
            return np.array([x_axis, y_axis, np.cross(x_axis, y_axis)]).T
        if "zaxis" in node.attrib:
            return upright_on(unit(place.numbers(node, "zaxis", count=3, default=None), place))
        w, *v = unit(place.numbers(node, "quat", count=4, default=(1.0, 0.0, 0.0, 0.0)), place)
        half = math.atan2(float(np.linalg.norm(v)), w)
        return rotation_about(unit(v, place), 2.0 * half) if any(v) else np.eye(3)

    def _euler(self, angles: tuple[float, ...], place: Place) -> Floats:
        """Return turns about three axes: moved ones (small letters) or fixed ones (capitals)."""
        sequence = self.compiler.get("eulerseq", "xyz")
        if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
            raise place.error(f'compiler: eulerseq="{sequence}" must be three of xyzXYZ')
        turned = np.eye(3)
        for letter, angle in zip(sequence, angles, strict=True):
            one = rotation_about(np.eye(3)["xyz".index(letter.lower())], self.angle(angle))
            turned = turned @ one if letter.islower() else one @ turned
        return turned


def read_document(xml: str, path: str) -> Document:
    """Read the text of an MJCF.

    Raises:
        RobotError: if it is malformed, or its compiler is told to change masses.
    """
    try:
        top = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise RobotError(f"{path}: malformed XML: {error}") from error
    compiler: dict[str, str] = {}
    for node in top.findall("compiler"):
        compiler |= node.attrib
    for key in MASS_CHANGED:
        if compiler.get(key, "false") not in ("false", "-1", "0"):
            _refuse(path, f"{key} is not supported: write the masses out")
    if compiler.get("balanceinertia") == "true" or compiler.get("coordinate") == "global":
        _refuse(path, "balanceinertia and global coordinates are not supported")
    document = Document(path, top, compiler)
    for tag in ("body", "joint"):
        _name_all([node for root in document.bodies for node in root.iter(tag)], tag)
    return document


def _refuse(path: str, reason: str) -> NoReturn:
    raise RobotError(f"{path}: compiler: {reason}")


def _name_all(nodes: list[Element], tag: str) -> None:
    """Name what has no name, as ``body_3`` and ``joint_2``."""
    taken = {node.get("name") for node in nodes}
    free = (name for name in (f"{tag}_{i}" for i in count(1)) if name not in taken)
    for node in nodes:
        if not node.get("name"):
            node.set("name", next(free))


def unit(vector: object, place: Place) -> Floats:
    """Return a vector made as long as one.

    Raises:
        RobotError: if it has no length.
    """
    given = np.array(vector, dtype=np.float64)
    length = float(np.linalg.norm(given))
    if length < LEAST:
        raise place.error("an axis must not be zero")
    return given / length


def upright_on(axis: Floats) -> Floats:
    """Return the smallest rotation, shape (3, 3), that takes z to a unit vector (3,)."""
    about = np.array([-axis[1], axis[0], 0.0])  # z x axis
    sine = math.hypot(axis[0], axis[1])
    if sine < LEAST:
        return np.eye(3) if axis[2] > 0.0 else rotation_about(np.eye(3)[0], math.pi)
    return rotation_about(about / sine, math.atan2(sine, axis[2]))

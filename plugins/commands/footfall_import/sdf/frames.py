"""Poses of the parts of an SDF model: its pose graph."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.advanced import FileElement
from footfall.api.engine import Pose
from footfall_import.mjcf.document import unit

MODEL, WORLD = "__model__", "world"
PARTS = ("link", "joint", "frame", "model")
"""Elements with a name and a pose."""


def words(node: Element | None, path: str, default: str = "") -> str:
    """Return the text of a child element."""
    return ((node.findtext(path) if node is not None else None) or "").strip() or default


def numbers(
    node: Element | None, place: FileElement, count: int, default: tuple[float, ...] | None
) -> tuple[float, ...]:
    """Return the numbers in an element's text.

    Raises:
        RobotError: as ``FileElement.numbers``.
    """
    if node is None or (default is not None and not (node.text or "").strip()):
        node = Element("element") if node is None else Element(node.tag)
    else:
        node = Element(node.tag, value=node.text or "")
    return place.numbers(node, "value", count=count, default=default)


def read_pose(node: Element | None, place: FileElement) -> Pose:
    """Return the pose in a ``<pose>``: position [m], then roll, pitch, yaw or a quaternion."""
    if node is not None and node.get("rotation_format") == "quat_xyzw":
        given = numbers(node, place, 7, (0.0,) * 6 + (1.0,))
        turn = Rotation.from_quat(unit(given[3:], place)).as_matrix()
        return Pose(turn, np.array(given[:3]))
    x, y, z, *angles = numbers(node, place, 6, (0.0,) * 6)
    if node is not None and node.get("degrees") in ("true", "1"):
        angles = [math.radians(angle) for angle in angles]
    return Pose.from_rpy((x, y, z), (angles[0], angles[1], angles[2]))


class Frames:
    """The links, joints, frames and nested models of a model or world, by names with ``::``.

    Attributes:
        parts: element and scope (``""``, or the nested model's name and ``::``) by full name.
    """

    def __init__(self, model: Element, path: str) -> None:
        """Collect the parts.

        Raises:
            RobotError: if a name is given twice, or parts are placed by each other.
        """
        self.path, self._top = path, model
        self.parts: dict[str, tuple[Element, str]] = {}
        self._poses: dict[str, Pose] = {MODEL: Pose.identity()}
        if model.tag != "model":
            self._poses[WORLD] = Pose.identity()
        self._add(model, "")
        for name in self.parts:
            self.pose(name)

    def _add(self, model: Element, scope: str) -> None:
        for node in model:
            if node.tag not in PARTS:
                continue
            name = scope + node.get("name", "")
            if name in self.parts:
                raise self.place(name).error("is defined twice")
            self.parts[name] = node, scope
            if node.tag == "model":
                self._add(node, f"{name}::")

    def place(self, name: str) -> FileElement:
        """Return the place of a part for errors."""
        return FileElement(self.path, f'<{self.parts[name][0].tag}> "{name}"')

    def pose(self, name: str, via: tuple[str, ...] = ()) -> Pose:
        """Return the pose of a part in the model's or world's frame.

        Raises:
            RobotError: if its chain of frames has no end or names a part that does not exist.
        """
        if name.endswith(f"::{MODEL}"):
            name = name.removesuffix(f"::{MODEL}")
        if name not in self._poses:
            if name in via or name not in self.parts:
                if name in via:
                    self._refuse((*via, name))
                place = FileElement(self.path, f'"{(via or (name,))[-1]}"')
                raise place.error(f'names no part "{name}"')
            node, scope = self.parts[name]
            given = node.find("pose")
            base = "" if given is None else given.get("relative_to") or given.get("frame") or ""
            if not base:
                at = words(node, "child") if node.tag == "joint" else node.get("attached_to", "")
                base = at or MODEL
            outer = self.pose(scope + base, (*via, name))
            pose = outer @ read_pose(given, self.place(name))
            if node.get("placement_frame"):
                inside = Frames(node, self.path).pose(node.get("placement_frame", ""))
                pose = pose @ inside.inverse()
            self._poses[name] = pose
        return self._poses[name]

    def link(self, name: str, via: tuple[str, ...] = ()) -> str:
        """Return the link that a part is fixed to.

        Raises:
            RobotError: as ``pose``.
        """
        self.pose(name)
        whole = name.removesuffix(MODEL) if f"::{name}".endswith(f"::{MODEL}") else f"{name}::"
        node, scope = self.parts.get(name, (Element("model"), ""))
        if node.tag == "model":
            model = self.parts[whole[:-2]][0] if whole else self._top
            if model.get("canonical_link"):
                return self.link(whole + model.get("canonical_link", ""), (*via, name))
            parts = self.parts.items()
            inside = [full for full, (part, _) in parts if part.tag == "link"]
            found = [full for full in inside if full.startswith(whole)]
            if not found:
                raise FileElement(self.path, f'"{name}"').error("holds no link")
            return min(found, key=lambda full: full.count("::"))
        if node.tag == "link":
            return name
        if name in via:
            self._refuse((*via, name))
        on = words(node, "child") if node.tag == "joint" else node.get("attached_to", "")
        return self.link(scope + (on or MODEL), (*via, name))

    def _refuse(self, via: tuple[str, ...]) -> None:
        """Refuse a chain of parts that ends in a part of it."""
        ring = " -> ".join(via[via.index(via[-1]) :])
        raise FileElement(self.path, f'"{via[-1]}"').error(f"is placed by itself: {ring}")

"""MJCF document with includes and default classes written out, and its compiler's settings."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import FileElement
from footfall.api.command import read_xml
from footfall.api.engine import Pose, rotation_about
from footfall.api.plugin import Floats, RobotError
from footfall_import.mjcf.copies import BARE, expand_copies
from footfall_import.mjcf.defaults import Classes, read_class, write_below
from footfall_import.mjcf.looks import Look, read_looks
from footfall_import.mjcf.made_meshes import made_mesh
from footfall_import.mjcf.values import (
    GENERATED,
    check_element,
    check_names,
    check_references,
    place_of,
)
from footfall_import.model import EARTH


def write_out(top: Element, path: str, sections: Sequence[str] = ("worldbody",)) -> Element:
    """Insert the files that an MJCF includes, and write out its default classes.

    Each element of the sections gets the attributes of one class. The first of these counts: its
    own class, the ``childclass`` of the nearest enclosing body, the top class. (These are MuJoCo's
    rules; Pinocchio mixes a class and a childclass.)

    Args:
        top: the file's top element; changed in place and returned.
        path: the file; includes are relative to it.
        sections: tags of the sections whose elements are written out.

    Raises:
        RobotError: if an included file is unreadable or not XML, or an element names a class that
            does not exist.
    """
    _include(top, Path(path).parent, (Path(path).resolve(),))
    expand_copies(top, Path(path), _written_out)
    for node in top.iter():
        check_element(node, path)
    classes: Classes = {"main": {}, BARE: {}}
    for node in top.findall("default"):
        read_class(node, classes["main"], "main", classes, path)
    for section in (node for tag in sections for node in top.findall(tag)):
        write_below(section, "main", classes, path)
    return top


def _written_out(path: Path) -> Element:
    """Return the top element of another file with all default classes written out."""
    top = read_xml(path)
    write_out(top, str(path), tuple({section.tag for section in top} - {"default", "compiler"}))
    for node in top.findall("default"):
        top.remove(node)
    return top


def read_with_includes(path: Path) -> Element:
    """Return the top element of an MJCF with its included files and copies inserted.

    Raises:
        RobotError: if a file is unreadable, not XML or includes itself.
    """
    top = _include(read_xml(path), path.parent, (path.resolve(),))
    expand_copies(top, path, _written_out)
    return top


def _include(node: Element, folder: Path, within: tuple[Path, ...]) -> Element:
    """Replace each ``<include>`` by the contents of its file, relative to the main file.

    If the file is missing there, it is searched beside the including file, as in MuJoCo.

    Args:
        node: element whose includes are replaced, at any depth.
        folder: folder of the main file.
        within: files being read: the main file first, the file that holds ``node`` last.

    Raises:
        RobotError: if a file is unreadable or includes itself, directly or through others.
    """
    for i, child in reversed(list(enumerate(node))):
        if "\\" in child.get("file", ""):  # as on Windows; MuJoCo reads it everywhere
            child.set("file", child.get("file", "").replace("\\", "/"))
        if child.tag == "include":
            file = (folder / child.get("file", "")).resolve()
            beside = (within[-1].parent / child.get("file", "")).resolve()
            file = beside if beside.is_file() and not file.is_file() else file
            if file in within:
                raise RobotError(f"{within[-1]}: <include>: {file} includes itself")
            node[i : i + 1] = list(_include(read_xml(file), folder, (*within, file)))
        else:
            _include(child, folder, within)
    return node


IDENTITY = (1.0, 0.0, 0.0, 0.0)
"""Quaternion w x y z, MuJoCo's order."""


@dataclass(frozen=True, slots=True)
class MeshAsset:
    """A mesh file, its scale along x, y, z, the scaled file's pose in its geom, and ``inertia``."""

    file: Path
    scale: tuple[float, float, float]
    pose: Pose
    inertia: str


@dataclass(frozen=True, slots=True)
class Document:
    """An MJCF as seen by MuJoCo's compiler.

    Attributes:
        path: the file.
        top: its top element, with includes and default classes written out.
        compiler: the compiler's settings.
        meshes: mesh assets by name, including those whose file is missing.
        looks: materials by name.
        paired: names of the geoms of each ``<pair>``.
    """

    path: Path
    top: Element
    compiler: Mapping[str, str]
    meshes: Mapping[str, MeshAsset]
    looks: Mapping[str, Look]
    paired: Collection[str] = ()

    @property
    def bodies(self) -> list[Element]:
        """The root bodies; unnamed bodies and joints have generated names, e.g. ``body_3``."""
        return [b for world in self.top.findall("worldbody") for b in world.findall("body")]

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Gravity from ``<option>`` and its flag, [m/s^2]."""
        found = EARTH
        for node in self.top.findall("option"):
            x, y, z = self.place(node).numbers(node, "gravity", count=3, default=found)
            found = x, y, z
        flags = [node.get("gravity") for node in self.top.findall("option/flag")]
        return (0.0, 0.0, 0.0) if "disable" in flags else found

    def setting(self, key: str) -> float:
        """Return a compiler setting that is a bound or a total, 0 if not set."""
        return max(float(self.compiler.get(key, "0")), 0.0)

    def weighs(self, group: int) -> bool:
        """Return whether geoms of a group count in masses that come from geoms."""
        given = self.compiler.get("inertiagrouprange", "0 5")
        low, high = FileElement(str(self.path), "compiler").numbers(
            Element("compiler", inertiagrouprange=given), "inertiagrouprange", count=2, default=None
        )
        return low <= group <= high

    def place(self, node: Element) -> FileElement:
        """Return the place of an element, for errors."""
        return place_of(node, self.path)

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return value if self.compiler.get("angle") == "radian" else math.radians(value)

    def pose(self, node: Element) -> Pose:
        """Return the pose from an element's attributes (MuJoCo: Frame orientations).

        Raises:
            RobotError: if a number is malformed.
        """
        position = self.place(node).numbers(node, "pos", count=3, default=(0.0, 0.0, 0.0))
        return Pose(self.rotation(node), np.array(position))

    def rotation(self, node: Element) -> Floats:
        """Return the rotation from an element's attributes, shape (3, 3)."""
        place = self.place(node)
        if "axisangle" in node.attrib:
            *axis, angle = place.numbers(node, "axisangle", count=4, default=None)
            return rotation_about(unit(axis, place), self.angle(angle))
        if "euler" in node.attrib:
            return self._euler(place.numbers(node, "euler", count=3, default=None), place)
        if "xyaxes" in node.attrib:
            six = place.numbers(node, "xyaxes", count=6, default=None)
            x = unit(six[:3], place)
            y = unit(np.array(six[3:]) - x @ np.array(six[3:]) * x, place)
            return np.column_stack([x, y, np.cross(x, y)])
        if "zaxis" in node.attrib:
            return turn_z_to(unit(place.numbers(node, "zaxis", count=3, default=None), place))
        return rotation_of(place.numbers(node, "quat", count=4, default=IDENTITY))

    def _euler(self, angles: tuple[float, ...], place: FileElement) -> Floats:
        """Compose rotations about moving axes (x, y, z) and fixed axes (X, Y, Z)."""
        sequence = self.compiler.get("eulerseq", "xyz")
        if len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
            raise place.error(f'compiler: eulerseq="{sequence}" must be three letters of xyzXYZ')
        result = np.eye(3)
        for letter, angle in zip(sequence, angles, strict=True):
            turn = rotation_about(np.eye(3)["xyz".index(letter.lower())], self.angle(angle))
            result = result @ turn if letter.islower() else turn @ result
        return result


def read_document(path: Path) -> Document:
    """Read an MJCF.

    Raises:
        RobotError: if the file is malformed, names a missing class or mesh, or has unsupported
            compiler settings.
    """
    top = read_with_includes(path)
    if not any(world.find(".//body") is not None for world in top.findall("worldbody")):
        for node in top.iter():
            if node.tag in GENERATED:
                raise place_of(node, path).error(f"is not supported: {GENERATED[node.tag]}")
        raise RobotError(f"{path}: holds no body")
    bare = bare_document(top, path, ("worldbody", "actuator", "asset", "tendon"))
    assets = [node for section in bare.top.findall("asset") for node in section]
    made = ("file", "vertex", "builtin")
    meshes = [n for n in assets if n.tag == "mesh" and any(n.get(key) for key in made)]
    return replace(
        bare,
        meshes=dict(_mesh(n, path, bare.compiler) for n in meshes),
        looks=read_looks(assets, path, bare.compiler),
    )


def bare_document(top: Element, path: Path, sections: Sequence[str] = ("worldbody",)) -> Document:
    """Return an MJCF without its assets; see ``write_out`` for the arguments.

    Raises:
        RobotError: as ``read_document``, except for errors of meshes.
    """
    write_out(top, str(path), sections)
    compiler: dict[str, str] = {}
    for node in top.findall("compiler"):
        compiler |= node.attrib
    if compiler.get("coordinate") == "global":
        raise RobotError(f"{path}: compiler: global coordinates are not supported (nor by MuJoCo)")
    from footfall_import.mjcf.expansion import expand_frames

    pairs = top.findall("contact/pair")
    paired = frozenset(pair.get(key, "") for pair in pairs for key in ("geom1", "geom2"))
    document = Document(path, top, compiler, {}, {}, paired)
    expand_frames(document)
    check_names(document.bodies, path)
    check_references(top, path)
    _name_everything(document.bodies)
    return document


def _name_everything(bodies: list[Element]) -> None:
    """Name the bodies and joints that have no name, as ``body_3`` and ``joint_2``."""
    for tag in ("body", "joint"):
        nodes = [node for body in bodies for node in body.iter(tag)]
        taken = {node.get("name") for node in nodes}
        free = (name for name in (f"{tag}_{i}" for i in count(1)) if name not in taken)
        for node in nodes:
            if not node.get("name"):
                node.set("name", next(free))


def range_of(document: Document, joint: Element) -> tuple[float, ...] | None:
    """Return a joint's limits in the file's units, None if they are off."""
    automatic = document.compiler.get("autolimits", "true") == "true"
    limited = joint.get("limited", "auto")
    if "range" not in joint.attrib or limited == "false":
        return None
    if limited == "auto" and not automatic:
        return None
    return document.place(joint).numbers(joint, "range", count=2, default=None)


def rotation_of(wxyz: Sequence[float] | Floats) -> Floats:
    """Return the rotation of a quaternion w x y z of any length."""
    w, x, y, z = np.array(wxyz) / np.linalg.norm(wxyz)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turn_z_to(axis: Floats) -> Floats:
    """Return the smallest rotation that turns the z axis into a unit vector (3,)."""
    about = np.cross([0.0, 0.0, 1.0], axis)
    sine = float(np.linalg.norm(about))
    if sine < 1e-12:
        return np.diag([1.0, 1.0, 1.0] if axis[2] > 0.0 else [1.0, -1.0, -1.0])
    return rotation_about(about / sine, math.atan2(sine, float(axis[2])))


def unit(vector: object, place: FileElement) -> Floats:
    """Return the unit vector along a vector.

    Raises:
        RobotError: if the vector is zero.
    """
    array = np.array(vector, float)
    length = float(np.linalg.norm(array))
    if length < 1e-10:
        raise place.error("an axis must not be zero")
    return array / length


def _mesh(node: Element, path: Path, compiler: Mapping[str, str]) -> tuple[str, MeshAsset]:
    """Return the name of a mesh asset, and the asset.

    MuJoCo's vertices are ``s (R' (v - p))`` with ``refpos`` p, ``refquat`` R and ``scale`` s per
    axis. This is a pose of the scaled file if R turns axes onto axes, or if s is equal for all
    axes.

    Raises:
        RobotError: if rotation and scale together are not a pose of the scaled file.
    """
    folder = compiler.get("meshdir") or compiler.get("assetdir") or ""
    file = path.parent / folder / node.get("file", "")
    place = FileElement(str(path), f'<mesh> "{node.get("name") or file.stem}"')
    file = file if node.get("file") else made_mesh(node, place)
    scale = np.array(place.numbers(node, "scale", count=3, default=(1.0, 1.0, 1.0)))
    p = np.array(place.numbers(node, "refpos", count=3, default=(0.0, 0.0, 0.0)))
    R = rotation_of(place.numbers(node, "refquat", count=4, default=IDENTITY))
    along = R @ np.diag(scale) @ R.T
    x, y, z = (float(s) for s in np.diag(along))
    if np.abs(along - np.diag([x, y, z])).max() > 1e-12 * np.abs(scale).max():
        raise place.error("refquat with unequal scales that shears the mesh is not supported")
    pose = Pose(R.T, -R.T @ (along @ p))
    return node.get("name") or file.stem, MeshAsset(
        file.resolve(), (x, y, z), pose, node.get("inertia", "")
    )

"""What the core needs to know of an MJCF file; engines read the rest themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.errors import RobotError
from footfall.robot.urdf_file import read_xml


@dataclass(frozen=True, slots=True)
class Mjcf:
    """A checked MJCF file.

    Attributes:
        path: the file.
        joints: names of its hinge and slide joints, in the file's order (depth first).
        floating: whether its root body has a free joint.
    """

    path: Path
    joints: tuple[str, ...]
    floating: bool


def read_mjcf(path: Path) -> Mjcf:
    """Read the names of an MJCF file's joints.

    Raises:
        RobotError: if the file is missing, malformed or not an MJCF.
    """
    top = read_xml(path)
    if top.tag != "mujoco":
        raise RobotError(f"{path}: is not an MJCF: it begins with <{top.tag}>, not <mujoco>")
    joints = []
    floating = False
    for node in _elements(top, path):
        if node.tag == "freejoint" or (node.tag == "joint" and node.get("type") == "free"):
            floating = True
        elif node.tag == "joint" and node.get("name"):
            joints.append(node.get("name", ""))
    return Mjcf(path, tuple(joints), floating)


def _elements(top: Element, path: Path) -> Iterator[Element]:
    """Yield the elements inside ``<worldbody>``, following ``<include>``."""
    for child in top:
        if child.tag == "include":
            included = path.parent / child.get("file", "")
            yield from _elements(read_xml(included), included)
        elif child.tag == "worldbody":
            yield from _below(child, path)


def _below(node: Element, path: Path) -> Iterator[Element]:
    for child in node:
        if child.tag == "include":
            included = path.parent / child.get("file", "")
            yield from _below(read_xml(included), included)
        else:
            yield child
            yield from _below(child, path)

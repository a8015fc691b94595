"""MJCF files as the core needs them; engines read the rest themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.errors import RobotError
from footfall.formats.urdf_file import read_xml


@dataclass(frozen=True, slots=True)
class Mjcf:
    """A checked MJCF file.

    Attributes:
        path: the file.
        joints: names of its hinge and slide joints, in the file's order (depth first).
        floating: whether its root body has a free joint.
        equalities: children of its ``<equality>``,.
        sections: tags of its sections that have content, other than pairs of bodies that it
            excludes from contacts.
    """

    path: Path
    joints: tuple[str, ...]
    floating: bool
    equalities: tuple[Element, ...] = ()
    sections: frozenset[str] = frozenset()


def read_mjcf(path: Path) -> Mjcf:
    """Read the names of an MJCF file's joints, and its loops.

    Raises:
        RobotError: if the file is missing, malformed or not an MJCF.
    """
    top = read_xml(path)
    if top.tag != "mujoco":
        raise RobotError(f"{path}: is not an MJCF: it begins with <{top.tag}>, not <mujoco>")
    joints = []
    floating = False
    sections = list(_sections(top, path))
    for node in (node for section, of in sections for node in _bodies(section, of)):
        if node.tag == "freejoint" or (node.tag == "joint" and node.get("type") == "free"):
            floating = True
        elif node.tag == "joint" and node.get("name"):
            joints.append(node.get("name", ""))
    loops = [node for section, _ in sections if section.tag == "equality" for node in section]
    tags = frozenset(
        section.tag for section, _ in sections if any(child.tag != "exclude" for child in section)
    )
    return Mjcf(path, tuple(joints), floating, tuple(loops), tags)


def _sections(top: Element, path: Path) -> Iterator[tuple[Element, Path]]:
    """Yield the sections and the files that they are in, following ``<include>``."""
    for child in top:
        if child.tag == "include":
            included = path.parent / child.get("file", "")
            yield from _sections(read_xml(included), included)
        else:
            yield child, path


def _bodies(section: Element, path: Path) -> Iterator[Element]:
    """Yield what is inside a ``<worldbody>``, nothing of other sections."""
    if section.tag == "worldbody":
        yield from _below(section, path)


def _below(node: Element, path: Path) -> Iterator[Element]:
    for child in node:
        if child.tag == "include":
            included = path.parent / child.get("file", "")
            yield from _below(read_xml(included), included)
        else:
            yield child
            yield from _below(child, path)

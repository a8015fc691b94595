"""Read a URDF file and check that it is one tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from footfall.errors import RobotError, nearest
from footfall.formats.urdf import Color, Joint, Link, Urdf
from footfall.formats.urdf_links import read_joint, read_link
from footfall.formats.urdf_shapes import read_color
from footfall.formats.xml import Place

T = TypeVar("T", Link, Joint)


def read_urdf(path: Path | str) -> Urdf:
    """Read and check a URDF.

    A visual whose mesh is missing is left out with a ``RobotWarning``. Masses are only checked to
    be sound where they move: see ``check_inertias``.

    Raises:
        RobotError: if the file is missing or malformed, is not one tree, holds a joint type that
            is not supported or a number that is not finite, or names a collision mesh that is not
            there; one line that names the element.
    """
    path = Path(path)
    top = read_xml(path)
    if top.tag != "robot":
        raise RobotError(f"{path}: is not a URDF: it begins with <{top.tag}>, not <robot>")
    colors = _colors(top, path)
    links = _by_name((read_link(node, colors, path) for node in top.findall("link")), "link", path)
    joints = _by_name((read_joint(node, path) for node in top.findall("joint")), "joint", path)
    root = _find_root(links, joints, path)
    urdf = Urdf(path, top.get("name", path.stem), root, links, joints)
    _require_connected(urdf)
    return urdf


def read_xml(path: Path) -> Element:
    """Return the top element of an XML file.

    Raises:
        RobotError: if it is missing or malformed; names the line.
    """
    try:
        return ElementTree.fromstring(path.read_bytes())
    except FileNotFoundError:
        raise RobotError(f"{path}: no such file") from None
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from error
    except ElementTree.ParseError as error:
        line, _ = error.position
        what = str(error).partition(":")[0]
        raise RobotError(f"{path}:{line}: malformed XML: {what}") from error
    except (ValueError, LookupError) as error:
        raise RobotError(f"{path}: malformed XML: {error}") from error


def _colors(top: Element, path: Path) -> dict[str, Color]:
    """Return the colors of the materials that the file defines, wherever it does."""
    colors: dict[str, Color] = {}
    for material in top.iter("material"):
        name = material.get("name", "")
        color = read_color(material, Place(str(path), f'material "{name}"'))
        if name and color is not None:
            colors.setdefault(name, color)
    return colors


def _by_name(items: Iterable[T], what: str, path: Path) -> dict[str, T]:
    found: dict[str, T] = {}
    for item in items:
        if item.name in found:
            raise RobotError(f'{path}: {what} "{item.name}" is defined twice')
        found[item.name] = item
    return found


def _find_root(links: dict[str, Link], joints: dict[str, Joint], path: Path) -> str:
    carrier: dict[str, str] = {}
    for joint in joints.values():
        for end in (joint.parent, joint.child):
            if end not in links:
                raise RobotError(
                    f'{path}: joint "{joint.name}": no link "{end}"{nearest(end, links)}'
                )
        if joint.child in carrier:
            both = f'"{carrier[joint.child]}" and "{joint.name}"'
            raise RobotError(f'{path}: link "{joint.child}" is the child of two joints: {both}')
        carrier[joint.child] = joint.name
    roots = [name for name in links if name not in carrier]
    if len(roots) == 1:
        return roots[0]
    if not links:
        raise RobotError(f"{path}: holds no link")
    if not roots:
        raise RobotError(f"{path}: has no root link: its joints form a loop")
    raise RobotError(f"{path}: has several root links, one is allowed: {', '.join(roots)}")


def _require_connected(urdf: Urdf) -> None:
    reached = {urdf.root, *(joint.child for joint in urdf.depth_first())}
    lost = [name for name in urdf.links if name not in reached]
    if lost:
        raise RobotError(
            f'{urdf.path}: links form a loop that root "{urdf.root}" does not carry: '
            f"{', '.join(lost)}"
        )

"""The reader of URDF files: links and joints, checked to be one tree."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar, get_args
from xml.etree.ElementTree import Element

import numpy as np

from footfall.errors import RobotError, RobotWarning, nearest
from footfall.formats.urdf import Inertial, Joint, JointType, Limits, Link, Urdf
from footfall.formats.urdf_shapes import read_collisions, read_material, read_origin, read_visuals
from footfall.formats.xml import FileElement, carriers, read_xml
from footfall.geometry.shapes import Material
from footfall.spatial.pose import Pose
from footfall.typing import Floats

NO_LIMIT = 1e10
"""Limits above this magnitude count as no limit, [rad, m, their rates, N m, N]."""
JOINT_TYPES: tuple[JointType, ...] = get_args(JointType)


def read_link(node: Element, materials: Mapping[str, Material], urdf: Path) -> Link:
    """Read a link.

    Raises:
        RobotError: if a number is missing or not finite, a mass is negative, or a collision mesh is
            missing; names the link.
    """
    name = _name(node, urdf)
    place = FileElement(str(urdf), f'link "{name}"')
    return Link(
        name,
        _inertial(node.find("inertial"), place),
        read_visuals(node, materials, urdf, place),
        read_collisions(node, urdf, place),
    )


def read_joint(node: Element, urdf: Path) -> Joint:
    """Read a joint.

    Raises:
        RobotError: if its type is not supported, or a number is missing or not finite; names the
            joint.
    """
    name = _name(node, urdf)
    place = FileElement(str(urdf), f'joint "{name}"')
    kind = _joint_type(node, place)
    dynamics = _child_or_empty(node, "dynamics")
    mimic = _child_or_empty(node, "mimic")
    return Joint(
        name=name,
        type=kind,
        parent=_end(node, "parent", place),
        child=_end(node, "child", place),
        origin=read_origin(node, place),
        axis=np.array([1.0, 0.0, 0.0]) if kind == "fixed" else _axis(node.find("axis"), place),
        limits=Limits() if kind == "fixed" else _limits(node.find("limit"), kind, place),
        damping=place.at_least_zero(dynamics, "damping"),
        friction=place.at_least_zero(dynamics, "friction"),
        mimics=place.attribute(mimic, "joint") if node.find("mimic") is not None else None,
        ratio=place.number(mimic, "multiplier", default=1.0),
        offset=place.number(mimic, "offset", default=0.0),
    )


def _name(node: Element, urdf: Path) -> str:
    name = node.get("name", "")
    if not name:
        raise RobotError(f"{urdf}: a <{node.tag}> has no name")
    return name


def _child_or_empty(node: Element, tag: str) -> Element:
    child = node.find(tag)
    return Element(tag) if child is None else child


def _inertial(node: Element | None, place: FileElement) -> Inertial | None:
    if node is None:
        return None
    if node.find("mass") is None:
        raise place.error("<inertial> needs a <mass>")
    mass = place.number(_child_or_empty(node, "mass"), "value")
    if mass < 0.0:
        raise place.error(f"mass {mass:g} kg must not be negative")
    inertia = _inertia(node.find("inertia"), place)
    if mass == 0.0:
        if inertia.any():
            raise place.error("has an inertia but no mass")
        return None
    origin: Pose = read_origin(node, place)
    rotated = origin.rotation @ inertia @ origin.rotation.T
    return Inertial(mass, origin.translation, 0.5 * (rotated + rotated.T))


def _inertia(node: Element | None, place: FileElement) -> Floats:
    if node is None:
        return np.zeros((3, 3))
    xx, yy, zz = (place.number(node, key) for key in ("ixx", "iyy", "izz"))
    beside = ("ixy", "ixz", "iyz")
    if absent := ", ".join(key for key in beside if key not in node.attrib):
        said = f"{place}: <inertia> without {absent}: taken as 0"
        warnings.warn(said, RobotWarning, stacklevel=2)
    xy, xz, yz = (place.number(node, key, default=0.0) for key in beside)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _joint_type(node: Element, place: FileElement) -> JointType:
    given = place.attribute(node, "type")
    for kind in JOINT_TYPES:
        if given == kind:
            return kind
    raise place.error(
        f"type {given!r} is not supported{nearest(given, JOINT_TYPES)} "
        f"(allowed: {', '.join(JOINT_TYPES)})"
    )


def _end(node: Element, tag: str, place: FileElement) -> str:
    if node.find(tag) is None:
        raise place.error(f"needs a <{tag} link=...>")
    return place.attribute(_child_or_empty(node, tag), "link")


def _axis(node: Element | None, place: FileElement) -> Floats:
    if node is None:
        return np.array([1.0, 0.0, 0.0])
    axis = np.array(place.numbers(node, "xyz", count=3, default=None))
    length = float(np.linalg.norm(axis))
    if length < 1e-6:
        raise place.error("<axis> must not be zero")
    # An axis of unit length up to rounding keeps its bits.
    return axis if abs(length - 1.0) <= 4 * 2.0**-53 else axis / length


def _limits(node: Element | None, kind: JointType, place: FileElement) -> Limits:
    bounded = kind != "continuous"
    if node is None:
        if bounded:
            raise place.error(f"a {kind} joint needs a <limit>")
        return Limits()
    lower = _limit(node, "lower", place, 0.0) if bounded else -np.inf
    upper = _limit(node, "upper", place, 0.0) if bounded else np.inf
    if lower > upper:
        raise place.error(f"<limit> lower {lower:g} is above upper {upper:g}")
    velocity, effort = (_limit(node, key, place, np.inf) for key in ("velocity", "effort"))
    if min(velocity, effort) < 0.0:
        raise place.error("<limit> velocity and effort must not be negative")
    return Limits(lower, upper, velocity, effort)


def _limit(node: Element, key: str, place: FileElement, default: float) -> float:
    """Return a limit; infinity or a number beyond ``NO_LIMIT`` means no limit."""
    try:
        given = float(node.get(key, default))
    except ValueError:
        given = 0.0
    if abs(given) > NO_LIMIT:
        return math.copysign(math.inf, given)
    return place.number(node, key, default=default)


T = TypeVar("T", Link, Joint)


def read_urdf(path: Path | str, text: str | None = None) -> Urdf:
    """Read and check a URDF, from the file or from ``text`` made of it.

    A visual whose mesh is missing is left out with a ``RobotWarning``. Mass properties are checked
    later, and only for moving parts: see ``check_inertias``.

    Raises:
        RobotError: if the file is missing or malformed, is not one tree, holds a joint type that
            is not supported or a number that is not finite, or names a missing collision mesh; one
            line that names the element.
    """
    path = Path(path)
    top = read_xml(path, text)
    if top.tag != "robot":
        raise RobotError(f"{path}: is not a URDF: it begins with <{top.tag}>, not <robot>")
    looks = _materials(top, path)
    links = _by_name((read_link(node, looks, path) for node in top.findall("link")), "link", path)
    joints = _by_name((read_joint(node, path) for node in top.findall("joint")), "joint", path)
    root = _find_root(top, links, path)
    urdf = Urdf(path, top.get("name", path.stem), root, links, joints)
    _require_connected(urdf)
    for joint in joints.values():
        _require_mimic(joint, joints, path)
    return urdf


def _materials(top: Element, path: Path) -> dict[str, Material]:
    """Return the materials that the file defines anywhere."""
    materials: dict[str, Material] = {}
    for node in top.iter("material"):
        name = node.get("name", "")
        if not name:
            continue
        material = read_material(node, path, FileElement(str(path), f'material "{name}"'))
        if any(material):
            materials.setdefault(name, material)
    return materials


def _by_name(items: Iterable[T], what: str, path: Path) -> dict[str, T]:
    found: dict[str, T] = {}
    for item in items:
        if item.name in found:
            raise RobotError(f'{path}: {what} "{item.name}" is defined twice')
        found[item.name] = item
    return found


def _find_root(top: Element, links: dict[str, Link], path: Path) -> str:
    carrier = carriers(top, links, path)
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


def _require_mimic(joint: Joint, joints: dict[str, Joint], path: Path) -> None:
    """Check that a joint does not follow itself, directly or through others."""
    followed, seen = joint.mimics, {joint.name}
    while followed in joints:
        if followed in seen:
            raise RobotError(f'{path}: joint "{joint.name}": follows itself by <mimic>')
        seen.add(followed)
        followed = joints[followed].mimics

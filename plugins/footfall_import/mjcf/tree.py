"""Bodies and joints of an MJCF as links and joints of a URDF."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.api.errors import RobotError
from footfall.api.formats import Inertial
from footfall.api.geometry import Pose
from footfall.api.plugin import Floats
from footfall_import.checks import Finding
from footfall_import.mjcf.document import Document
from footfall_import.mjcf.geometry import Geom, read_geom
from footfall_import.mjcf.geoms_as_shapes import add_origin, add_shapes, mass_of, text

WORLD = "world"
READ = frozenset({"body", "inertial", "joint", "freejoint", "geom", "site"})
DECORATION = frozenset({"camera", "light", "plugin"})


@dataclass(slots=True)
class Tree:
    """A URDF in the making.

    Attributes:
        robot: its top element.
        floating: whether the root body has a free joint.
        order: the joints that move, in the file's order.
        start: position that the file calls ``ref``, by joint, [rad or m]; here it is zero.
        armature: by joint, [kg m^2 or kg].
        torque_limits: by joint, [N m or N].
        places: frames of bodies and sites in the world, all joints at zero.
        springs: joints with a spring, which is left out.
        findings: what was left out or changed.
    """

    robot: Element
    floating: bool
    order: list[str] = field(default_factory=list)
    start: dict[str, float] = field(default_factory=dict)
    armature: dict[str, float] = field(default_factory=dict)
    torque_limits: dict[str, float] = field(default_factory=dict)
    places: dict[str, Pose] = field(default_factory=dict)
    springs: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def say(self, subject: str, what: str) -> None:
        """Note something that is left out."""
        self.findings.append(Finding("warning", subject, what))


def convert_tree(document: Document) -> Tree:
    """Return the URDF of an MJCF's bodies.

    Raises:
        RobotError: if a body holds what no URDF can say; names it.
    """
    bodies = document.bodies
    free = [body for body in bodies if is_free(body)]
    if not bodies:
        raise RobotError(f"{document.path}: holds no body")
    if len(free) > 1:
        names = ", ".join(str(body.get("name")) for body in free)
        raise RobotError(f"{document.path}: several bodies float, import one: {names}")
    robot = Element("robot", name=document.top.get("model", document.path.stem))
    tree = Tree(robot, bool(free))
    if free:
        for body in bodies:
            if body is not free[0]:
                text_ = "another body of the world: left out (put it into the scene)"
                tree.say(f'body "{body.get("name")}"', text_)
        _add_body(tree, document, free[0], None, Pose.identity())
        return tree
    SubElement(robot, "link", name=WORLD)
    for body in bodies:
        _add_body(tree, document, body, WORLD, Pose.identity())
    return tree


def is_free(body: Element) -> bool:
    """Whether a body has a free joint."""
    kinds = [joint.get("type") for joint in body.findall("joint")]
    return body.find("freejoint") is not None or "free" in kinds


def _add_body(
    tree: Tree, document: Document, body: Element, parent: str | None, outer: Pose
) -> None:
    """Add a body, its joints before it and what it carries after it."""
    name, place = body.get("name", ""), document.place(body)
    for child in body:
        if child.tag not in READ and child.tag not in DECORATION:
            raise place.error(f"<{child.tag}> is not supported: write it out")
    if place.number(body, "gravcomp", default=0.0):
        tree.say(f'body "{name}"', "gravcomp is not honoured: its full weight acts")
    pose = document.pose(body) if parent is not None else Pose.identity()
    tree.places[name] = here = outer @ pose
    if parent is not None:
        _add_joints(tree, document, body, parent, pose)
    link = SubElement(tree.robot, "link", name=name)
    geoms = _geoms(tree, document, body)
    _add_inertial(link, _mass(document, body, geoms))
    for geom in geoms:
        if not add_shapes(link, geom):
            tree.say(f'body "{name}"', f"{geom.kind}: its mass counts, its shape is left out")
    for site in body.findall("site"):
        _add_site(tree, document, site, name, here)
    for child in body.findall("body"):
        if is_free(child):
            raise document.place(child).error("a free joint is allowed on a root body only")
        _add_body(tree, document, child, name, here)


def _add_joints(tree: Tree, document: Document, body: Element, parent: str, pose: Pose) -> None:
    """Add a chain of joints from the parent to a body, which a last fixed joint may end.

    A URDF's link has its origin on its joint's axis; a body of an MJCF need not: links without mass
    stand on the axes.
    """
    name, at = body.get("name", ""), np.zeros(3)
    joints = body.findall("joint")
    for i, joint in enumerate(joints):
        place = document.place(joint)
        anchor = np.array(place.numbers(joint, "pos", count=3, default=(0.0, 0.0, 0.0)))
        on_axis = i == len(joints) - 1 and not anchor.any()
        child = name if on_axis else f"{name}/{joint.get('name')}"
        origin = pose @ Pose(np.eye(3), anchor) if i == 0 else Pose(np.eye(3), anchor - at)
        if not on_axis:
            SubElement(tree.robot, "link", name=child)
        _add_joint(tree, document, joint, parent, child, origin)
        parent, at = child, anchor
    if not joints:
        _add_fixed(tree, f"{name}_fixed", parent, name, pose)
    elif parent != name:
        _add_fixed(tree, f"{name}_fixed", parent, name, Pose(np.eye(3), -at))


def _add_joint(
    tree: Tree, document: Document, joint: Element, parent: str, child: str, origin: Pose
) -> None:
    name, place = joint.get("name", ""), document.place(joint)
    kind = joint.get("type", "hinge")
    if kind not in ("hinge", "slide"):
        raise place.error(f"{kind} joints are not supported: write hinge joints")
    as_angle = document.angle if kind == "hinge" else float
    ref = as_angle(place.number(joint, "ref", default=0.0))
    limits = range_of(document, joint)
    bounded = {"revolute": limits is not None, "prismatic": True}
    urdf_kind = "prismatic" if kind == "slide" else "revolute"
    if not bounded[urdf_kind]:
        urdf_kind = "continuous"
    node = SubElement(tree.robot, "joint", name=name, type=urdf_kind)
    add_origin(node, origin)
    SubElement(node, "parent", link=parent)
    SubElement(node, "child", link=child)
    axis = place.numbers(joint, "axis", count=3, default=(0.0, 0.0, 1.0))
    SubElement(node, "axis", xyz=text(np.array(axis)))
    lower, upper = [as_angle(x) - ref for x in limits] if limits else (-math.inf, math.inf)
    bounds = {"lower": _finite(lower), "upper": _finite(upper)}
    SubElement(node, "limit", bounds | {"effort": "1e300", "velocity": "1e300"})
    given = {"damping": "damping", "friction": "frictionloss"}
    values = {key: repr(place.at_least_zero(joint, of)) for key, of in given.items()}
    SubElement(node, "dynamics", values)
    tree.order.append(name)
    tree.armature[name] = place.at_least_zero(joint, "armature")
    tree.start[name] = ref
    force = place.numbers(joint, "actuatorfrcrange", count=2, default=(0.0, 0.0))
    if any(force):
        tree.torque_limits[name] = max(map(abs, force))
    if ref:
        tree.findings.append(
            Finding("note", f'joint "{name}"', f"counts from its ref: {ref:g} there is 0 here")
        )
    if place.number(joint, "stiffness", default=0.0):
        tree.springs.append(name)


def range_of(document: Document, joint: Element) -> tuple[float, ...] | None:
    """Return the limits as they stand in the file, None if they are switched off."""
    automatic = document.compiler.get("autolimits", "true") == "true"
    limited = joint.get("limited", "auto")
    if "range" not in joint.attrib or limited == "false":
        return None
    if limited == "auto" and not automatic:
        return None
    return document.place(joint).numbers(joint, "range", count=2, default=None)


def _add_fixed(tree: Tree, name: str, parent: str, child: str, pose: Pose) -> None:
    node = SubElement(tree.robot, "joint", name=name, type="fixed")
    add_origin(node, pose)
    SubElement(node, "parent", link=parent)
    SubElement(node, "child", link=child)


def _add_site(tree: Tree, document: Document, site: Element, body: str, here: Pose) -> None:
    name = site.get("name", "")
    if name and name not in tree.places:
        pose = document.pose(site)
        tree.places[name] = here @ pose
        SubElement(tree.robot, "link", name=name)
        _add_fixed(tree, f"{name}_fixed", body, name, pose)


def _geoms(tree: Tree, document: Document, body: Element) -> list[Geom]:
    found = []
    for node in body.findall("geom"):
        geom = read_geom(node, document)
        if isinstance(geom, str):
            subject = f'geom "{node.get("name", "")}" of "{body.get("name")}"'
            tree.say(subject, geom)
        else:
            found.append(geom)
    return found


def _mass(document: Document, body: Element, geoms: list[Geom]) -> Inertial | None:
    """Return a body's mass properties: those of its ``<inertial>`` or of its geoms."""
    if not weighs_geoms(body, document):
        return given_mass(body, document)
    parts = [part for part in map(mass_of, geoms) if part is not None]
    return Inertial.weld((Pose.identity(), part) for part in parts) if parts else None


def weighs_geoms(body: Element, document: Document) -> bool:
    """Whether a body's mass is that of its geoms, not what its ``<inertial>`` says."""
    mode = document.compiler.get("inertiafromgeom", "auto")
    return mode == "true" or (mode == "auto" and body.find("inertial") is None)


def given_mass(body: Element, document: Document) -> Inertial | None:
    """Return what a body's ``<inertial>`` says, in the body's frame; None without mass."""
    node = body.find("inertial")
    if node is None:
        return None
    place = document.place(node)
    mass, pose = place.at_least_zero(node, "mass"), document.pose(node)
    if "fullinertia" in node.attrib:
        xx, yy, zz, xy, xz, yz = place.numbers(node, "fullinertia", count=6, default=None)
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        given = place.numbers(node, "diaginertia", count=3, default=(0.0, 0.0, 0.0))
        moments = np.diag(given)
    if mass == 0.0:
        return None
    R: Floats = pose.rotation
    about = R @ moments @ R.T
    return Inertial(mass, pose.translation, 0.5 * (about + about.T))


def _add_inertial(link: Element, mass: Inertial | None) -> None:
    if mass is None:
        return
    node = SubElement(link, "inertial")
    SubElement(node, "origin", xyz=text(mass.com))
    SubElement(node, "mass", value=repr(float(mass.mass)))
    entries = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2)}
    entries |= {"ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    values = {key: repr(float(mass.inertia[at])) for key, at in entries.items()}
    SubElement(node, "inertia", values)


def _finite(limit: float) -> str:
    return repr(limit) if math.isfinite(limit) else repr(math.copysign(1e300, limit))

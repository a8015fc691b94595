"""Conversion of an MJCF's bodies and joints into a URDF's links and joints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.api.advanced import Inertial
from footfall.api.engine import Pose
from footfall.api.plugin import RobotError, nearest
from footfall_import.checks import Finding
from footfall_import.mjcf.document import Document, range_of
from footfall_import.mjcf.geometry import Geom, read_geom
from footfall_import.mjcf.geoms_as_shapes import (
    add_inertial,
    add_joint,
    add_shapes,
    body_mass,
    legacy_mass,
    mass_of,
    text,
    weighs_geoms,
)
from footfall_import.mjcf.planar import PlanarRoot, planar_root
from footfall_import.mjcf.values import check_children
from footfall_import.mjcf.world import is_trunk

WORLD = "world"
DIFFERS = 0.01
"""Relative difference of a mesh's mass from MuJoCo's that is reported."""
LISTED = 3
"""Number of such meshes that are named."""
ENDS = ("body1", "body2")
"""Attributes that name the bodies of an ``<equality>``."""


@dataclass(slots=True)
class Tree:
    """A URDF under construction.

    Attributes:
        robot: the URDF's top element.
        floating: True if the root body has a free joint.
        root: name of that body, empty without one.
        alone: name of the only root body to import, empty if it is not the only one.
        planar: planar base of the root, None without one.
        others: other root bodies with joints.
        furniture: other root bodies without joints.
        elsewhere: root body by tag and name of bodies, joints and sites outside this tree; other
            trees read them, or they are not imported.
        start_pose: initial pose of the root link, world frame; None for a fixed base.
        mass_scale: factor on masses and inertias, [-].
        order: the movable joints, in the file's order.
        start: the file's ``ref`` by joint, [rad or m]; this position is zero in the URDF.
        armature: by joint, [kg m^2 or kg].
        torque_limits: by joint, [N m or N].
        places: poses of bodies and sites, all joints at zero, world frame.
        springs: stiffness [N m/rad or N/m] and rest position [rad or m] by joint.
        weights: mass here and by MuJoCo's default rule, by mesh, where they differ, [kg].
        spread: volume that a given mass fills here and by that rule, likewise, [m^3].
        findings: parts that were left out or changed.
    """

    robot: Element
    floating: bool
    root: str = ""
    alone: str = ""
    planar: PlanarRoot | None = None
    others: list[str] = field(default_factory=list)
    furniture: list[Element] = field(default_factory=list)
    elsewhere: dict[tuple[str, str], str] = field(default_factory=dict)
    start_pose: Pose | None = None
    mass_scale: float = 1.0
    order: list[str] = field(default_factory=list)
    start: dict[str, float] = field(default_factory=dict)
    armature: dict[str, float] = field(default_factory=dict)
    torque_limits: dict[str, float] = field(default_factory=dict)
    places: dict[str, Pose] = field(default_factory=dict)
    springs: dict[str, tuple[float, float]] = field(default_factory=dict)
    weights: dict[str, tuple[float, float]] = field(default_factory=dict)
    spread: dict[str, tuple[float, float]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def say(self, subject: str, what: str) -> None:
        """Add a warning about a part that is left out."""
        self.findings.append(Finding("warning", subject, what, lost=True))

    def largest(self, subject: str, key: str, bounds: Sequence[float]) -> float:
        """Return the larger bound of a force range; add a note if the bounds are unequal."""
        least, most = bounds
        if least != -most:
            text_ = f"{key} {least:g} to {most:g}: limits are symmetric here, the larger is used"
            self.findings.append(Finding("note", subject, text_, lost=True))
        return max(abs(least), abs(most))

    def is_elsewhere(self, parts: Iterable[tuple[str, str]]) -> bool:
        """Return whether all parts (tag and name) belong to root bodies outside this tree."""
        owners = {self.elsewhere.get(part, "") for part in parts if part[1] not in ("", WORLD)}
        return bool(owners) and "" not in owners


def convert_tree(document: Document, body: str | None = None) -> Tree:
    """Return the URDF of an MJCF's bodies.

    By default this is the moving root body (free joint or planar base) with the most joints, the
    first one of equals. If the other root bodies together have more joints, they are converted
    instead.

    Args:
        document: the file.
        body: name of the root body to convert instead.

    Raises:
        RobotError: if a body cannot be a URDF, or the root body does not exist; names it.
    """
    for world in document.top.findall("worldbody"):
        check_children(world, document.path)
    if not document.bodies:
        raise RobotError(f"{document.path}: holds no body")
    chosen = _chosen(document, body)
    if body is None and any(each.find(".//joint") is not None for each in chosen):
        joined = {node.get(key) for node in document.top.findall("equality/*") for key in ENDS}
        chosen = [
            each
            for each in chosen
            if is_free(each) or each.find(".//joint") is not None or each.get("name") in joined
        ]
    free = is_free(chosen[0])
    planar = None if free else planar_root(document, chosen[0])
    robot = Element("robot", name=document.top.get("model", document.path.stem))
    tree = Tree(robot, free, chosen[0].get("name", "") if free else "", body or "")
    tree.mass_scale = _mass_scale(tree, document)
    for other in document.bodies:
        name = other.get("name", "")
        if other in chosen:
            continue
        jointed = moves(document, other) or other.find(".//joint") is not None
        if body is not None or jointed:
            parts = (n for n in other.iter() if n.tag in ("body", "joint", "site"))
            tree.elsewhere |= {(part.tag, part.get("name", "")): name for part in parts}
        if body is None and jointed:
            tree.others.append(name)
        elif body is None:
            tree.furniture.append(other)
    if free:
        tree.start_pose = document.pose(chosen[0])
        _add_body(tree, document, chosen[0], None, Pose.identity())
        return tree
    if planar is not None:
        _add_planar(tree, document, chosen[0], planar)
        return tree
    world = SubElement(robot, "link", name=WORLD)
    for node in document.top.findall("worldbody/geom") if body is None else ():
        geom = read_geom(node, document) if is_trunk(node) else ""
        if not isinstance(geom, str):
            add_shapes(world, geom)
    for each in chosen:
        _add_body(tree, document, each, WORLD, Pose.identity())
    return tree


def _add_planar(tree: Tree, document: Document, body: Element, planar: PlanarRoot) -> None:
    """Add a body with a planar base; if it is offset in its plane, below a massless link."""
    tree.planar, tree.start_pose = planar, planar.plane
    name = body.get("name", "")
    for joint in body.findall("joint"):
        body.remove(joint)
    for told in planar.lost:
        tree.say(f'body "{name}"', f"{told} of its planar base: not honoured")
    if planar.body.is_identity():
        _add_body(tree, document, body, None, Pose.identity())
        return
    root = f"{name}/plane"
    SubElement(tree.robot, "link", name=root)
    _add_body(tree, document, body, root, Pose.identity(), at=planar.body)


def moves(document: Document, body: Element) -> bool:
    """Return whether a root body has a free joint or a planar base."""
    return is_free(body) or planar_root(document, body) is not None


def _chosen(document: Document, wanted: str | None) -> list[Element]:
    """Return the root bodies to import: one that moves, or those that do not."""
    roots = {str(body.get("name")): body for body in document.bodies}
    if wanted is not None:
        if wanted not in roots:
            hint = nearest(wanted, roots) or f" (root bodies: {', '.join(roots)})"
            raise RobotError(f'{document.path}: no root body "{wanted}"{hint}')
        return [roots[wanted]]
    floating = {name: _joint_count(body) for name, body in roots.items() if moves(document, body)}
    standing = [body for name, body in roots.items() if name not in floating]
    most = max(floating.values(), default=0)
    if not floating or sum(map(_joint_count, standing)) > most:
        return standing
    first = next(name for name, joints in floating.items() if joints == most)
    return [roots[first]]


def _joint_count(body: Element) -> int:
    """Return the number of joints of a body and its descendants, without free joints."""
    return sum(node.get("type") != "free" for node in body.iter("joint"))


def _mass_scale(tree: Tree, document: Document) -> float:
    """Return the factor that ``settotalmass`` puts on masses and inertias of all bodies."""
    total = document.setting("settotalmass")
    if total == 0.0:
        return 1.0
    quiet = Tree(tree.robot, tree.floating)  # its findings are reported once, elsewhere
    bodies = [body for root in document.bodies for body in root.iter("body")]
    parts = [body_mass(document, body, _geoms(quiet, document, body)) for body in bodies]
    return total / sum(part.mass for part in parts if part is not None)


def is_free(body: Element) -> bool:
    """Return whether a body has a free joint."""
    kinds = [joint.get("type") for joint in body.findall("joint")]
    return body.find("freejoint") is not None or "free" in kinds


def _add_body(
    tree: Tree,
    document: Document,
    body: Element,
    parent: str | None,
    outer: Pose,
    at: Pose | None = None,
) -> None:
    """Add a body, its joints and its children; ``at`` overrides the body's pose in its parent."""
    name, place = body.get("name", ""), document.place(body)
    check_children(body, document.path)
    if place.number(body, "gravcomp", default=0.0):
        tree.say(f'body "{name}"', "gravcomp is not honoured: full weight is used")
    pose = (at or document.pose(body)) if parent is not None else Pose.identity()
    tree.places[name] = here = outer @ pose
    if parent is not None:
        _add_joints(tree, document, body, parent, pose)
    link = SubElement(tree.robot, "link", name=name)
    geoms = _geoms(tree, document, body)
    hulls: list[str] = []
    mass = body_mass(document, body, geoms, hulls)
    for hull in hulls:
        text_ = "its mesh is open or inside out and encloses no volume: mass of its convex hull"
        tree.say(f'geom "{hull}" of "{body.get("name")}"', text_)
    if weighs_geoms(body, document):
        _tell_of_meshes(tree, document, name, geoms)
    if mass is not None:
        k = tree.mass_scale
        add_inertial(link, Inertial(k * mass.mass, mass.com, k * mass.inertia))
    for geom in geoms:
        if not add_shapes(link, geom):
            tree.say(f'body "{name}"', f"{geom.kind}: its mass counts, its shape is left out")
    for site in body.findall("site"):
        _add_site(tree, document, site, name, here)
    for child in body.findall("body"):
        if is_free(child):
            raise document.place(child).error("a free joint is allowed on a root body only")
        _add_body(tree, document, child, name, here)


def _tell_of_meshes(tree: Tree, document: Document, body: str, geoms: list[Geom]) -> None:
    """Report meshes whose masses are not those of MuJoCo's rule for files that give none."""
    for geom in geoms:
        mesh = geom.kind == "mesh" and document.weighs(geom.group) and geom.mass != 0.0
        if not mesh or geom.inertia in ("exact", "convex", "legacy", "shell"):
            continue
        given = geom.mass is not None
        solid = replace(geom, mass=None, density=1.0) if given else geom
        ours = mass_of(solid)
        legacy = legacy_mass(solid) if ours else 0.0
        name = f'{geom.mesh.name if geom.mesh else ""} of "{body}"'
        if ours is not None and abs(ours.mass - legacy) > DIFFERS * legacy:
            (tree.spread if given else tree.weights)[name] = ours.mass, legacy
        elif not given:
            text_ = 'mass by enclosed volume, as with inertia="exact" in MuJoCo'
            tree.findings.append(Finding("note", "meshes", text_))


def say_weights(tree: Tree) -> None:
    """Report the meshes whose masses or inertias differ from MuJoCo's rule, the worst first."""
    for found, what, unit in (
        (tree.weights, "mass of the enclosed volume", "kg"),
        (tree.spread, "the given mass fills the enclosed volume", "m^3"),
    ):
        worst = sorted(found.items(), key=lambda each: -abs(1.0 - each[1][0] / each[1][1]))
        said = [f"{name}: {ours:.4g} {unit}, {theirs:.4g} {unit}" for name, (ours, theirs) in worst]
        more = f" and {len(said) - LISTED} more" if len(said) > LISTED else ""
        text_ = f"{what}, and in MuJoCo by default: {'; '.join(said[:LISTED])}{more}"
        if said:
            text_ += ' (write inertia="exact" or "legacy" in <mesh>)'
            tree.say(f"{len(said)} meshes", text_)


def _add_joints(tree: Tree, document: Document, body: Element, parent: str, pose: Pose) -> None:
    """Add a chain of joints from the parent to a body; it may end with a fixed joint.

    The origin of a URDF's link is on its joint's axis. An MJCF's body may have its origin
    elsewhere, so massless links are added on the axes.
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
    if parent != name:
        rest = Pose(np.eye(3), -at) if joints else pose
        add_joint(tree.robot, f"{name}_fixed", "fixed", (parent, name), rest)


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
    turning = "continuous" if limits is None else "revolute"
    urdf_kind = "prismatic" if kind == "slide" else turning
    node = add_joint(tree.robot, name, urdf_kind, (parent, child), origin)
    axis = place.numbers(joint, "axis", count=3, default=(0.0, 0.0, 1.0))
    SubElement(node, "axis", xyz=text(np.array(axis)))
    lower, upper = [as_angle(x) - ref for x in limits] if limits else (-math.inf, math.inf)
    bounds = {"lower": _finite(lower), "upper": _finite(upper)}
    SubElement(node, "limit", bounds | {"effort": "1e300", "velocity": "1e300"})
    _take_linear(tree, document, joint)
    given = {"damping": "damping", "friction": "frictionloss"}
    values = {key: repr(place.at_least_zero(joint, of)) for key, of in given.items()}
    SubElement(node, "dynamics", values)
    tree.order.append(name)
    tree.armature[name] = place.at_least_zero(joint, "armature")
    tree.start[name] = ref
    force = place.numbers(joint, "actuatorfrcrange", count=2, default=(0.0, 0.0))
    if any(force):
        tree.torque_limits[name] = tree.largest(f'joint "{name}"', "actuatorfrcrange", force)
    if ref:
        tree.findings.append(
            Finding(
                "note", f'joint "{name}"', f"counts from its ref: {ref:g} in the file is 0 here"
            )
        )
    _add_spring(tree, document, joint, rest=as_angle(place.number(joint, "springref", default=0.0)))


def _take_linear(tree: Tree, document: Document, joint: Element) -> None:
    """Keep only the linear coefficient of stiffness and damping, which may be polynomials."""
    for key, what in (("stiffness", "spring"), ("damping", "damping")):
        given = joint.get(key, "0").split()
        values = document.place(joint).numbers(joint, key, count=len(given), default=(0.0,))
        if any(values[1:]):
            text_ = f"its {what} is made linear: {key} {values[0]:g} of {' '.join(given)}"
            tree.say(f'joint "{joint.get("name", "")}"', text_)
        if len(values) > 1:
            joint.set(key, given[0])


def _add_spring(tree: Tree, document: Document, joint: Element, rest: float) -> None:
    """Add the spring of a joint; ``rest`` is the rest position in the file, [rad or m]."""
    name = joint.get("name", "")
    stiffness = document.place(joint).number(joint, "stiffness", default=0.0)
    if stiffness < 0.0:
        tree.say(f'joint "{name}"', f"negative stiffness {stiffness:g}: not honoured")
    elif stiffness:
        tree.springs[name] = stiffness, rest - tree.start[name]


def _add_site(tree: Tree, document: Document, site: Element, body: str, here: Pose) -> None:
    name = site.get("name", "")
    bodies = {each.get("name") for root in document.bodies for each in root.iter("body")}
    if name and name not in tree.places and name not in bodies:
        pose = document.pose(site)
        tree.places[name] = here @ pose
        SubElement(tree.robot, "link", name=name)
        add_joint(tree.robot, f"{name}_fixed", "fixed", (body, name), pose)


def _geoms(tree: Tree, document: Document, body: Element) -> list[Geom]:
    found = []
    for node in body.findall("geom"):
        geom = read_geom(node, document)
        if isinstance(geom, str):
            lost = "was not found" in geom or node.get("type") == "sdf"
            if lost and weighs_geoms(body, document):
                raise document.place(node).error(f"{geom}, but its body takes its mass from geoms")
            subject = f'geom "{node.get("name", "")}" of "{body.get("name")}"'
            tree.say(subject, geom)
        else:
            found.append(geom)
    return found


def _finite(limit: float) -> str:
    return repr(limit) if math.isfinite(limit) else repr(math.copysign(1e300, limit))

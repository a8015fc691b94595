"""Bring an MJCF to a form that Pinocchio reads as MuJoCo does.

Pinocchio's reader leaves out, without a word, second root bodies, limits that are switched off,
visual shapes that count for the inertia, and more. What can be rewritten is; the rest is refused if
it would give another tree, and warned about if it is a force that acts on the tree.
"""

from __future__ import annotations

import math
import warnings
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from footfall.api.engine import ModelSource
from footfall.api.errors import RobotError, RobotWarning
from footfall.api.formats import Place
from footfall_pinocchio.mjcf_bodies import (
    PLACEMENT,
    is_free,
    name_everything,
    single_tree,
    split_joints,
)

READ = frozenset({"body", "inertial", "joint", "freejoint", "geom", "site"})
"""Elements of a body that say what moves and how heavy it is."""
DECORATION = frozenset({"camera", "light", "plugin"})
SOLIDS = frozenset({"sphere", "capsule", "ellipsoid", "cylinder", "box"})
"""Shapes whose inertia Pinocchio's reader knows; a mesh's comes out wrong, without a word."""
FORCES = ("tendon", "deformable")
"""Sections that act on the tree and are not read."""
NUMBERS = frozenset({*PLACEMENT, "axis", "range", "fromto", "size", "diaginertia", "fullinertia"})
"""Attributes that hold several numbers."""
COMPILER_REFUSED = ("settotalmass", "boundmass", "boundinertia", "inertiagrouprange")


def readable_mjcf(source: ModelSource) -> str:
    """Return the text of an MJCF with explicit attributes, one root and one joint a body.

    Raises:
        RobotError: if the file is malformed or holds what would be another tree to Pinocchio.
    """
    top = _parse(source.xml, source.path)
    compiler = _compiler(top, source.path)
    model = Element("mujoco", model=top.get("model", source.name))
    worldbody = Element("worldbody")
    for section in top.findall("worldbody"):
        worldbody.extend(section)
    name_everything(worldbody)
    for body in worldbody.findall("body"):
        _check_body(body, compiler, source.path, is_root=True)
    single_tree(worldbody, source.base, source.path)
    split_joints(worldbody)
    _warn_of_forces(top, source.path)
    model.extend([compiler, worldbody])
    return ElementTree.tostring(model, encoding="unicode")


def _parse(text: str, path: str) -> Element:
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise RobotError(f"{path}: {error}") from error


def _compiler(top: Element, path: str) -> Element:
    """Merge the compiler's settings, and refuse those that change masses."""
    merged = Element("compiler")
    for node in top.findall("compiler"):
        merged.attrib.update(node.attrib)
    for key in COMPILER_REFUSED:
        if key in merged.attrib:
            raise RobotError(f"{path}: compiler: {key} is not supported: write the masses out")
    if merged.get("balanceinertia") == "true" or merged.get("coordinate") == "global":
        raise RobotError(f"{path}: compiler: balanceinertia and global coordinates not supported")
    return merged


def _check_body(body: Element, compiler: Element, path: str, *, is_root: bool) -> None:
    place = Place(path, f'body "{body.get("name")}"')
    for child in list(body):
        if child.tag in DECORATION:
            body.remove(child)
        elif child.tag not in READ:
            raise place.error(f"<{child.tag}> is not supported: write it out")
        _check_numbers(child, place)
    if not is_root and is_free(body):
        raise place.error("a free joint is allowed on the root body only")
    if place.number(body, "gravcomp", default=0.0):
        _warn(f"{place.file}: {place.element}: gravcomp is not honoured")
    for joint in body.findall("joint"):
        _check_joint(joint, compiler, path)
    _prepare_geoms(body, compiler, place)
    for child in body.findall("body"):
        _check_body(child, compiler, path, is_root=False)


def _check_numbers(node: Element, place: Place) -> None:
    """Refuse what Pinocchio's reader would take for zero."""
    for key in NUMBERS & node.attrib.keys():
        place.numbers(node, key, count=len(node.get(key, "").split()), default=None)
    for key in ("mass", "density", "damping", "armature", "frictionloss"):
        place.at_least_zero(node, key)
    if any(float(moment) < 0.0 for moment in node.get("diaginertia", "0").split()):
        raise place.error(
            f'<inertial> diaginertia="{node.get("diaginertia")}" must not be negative'
        )


def _check_joint(joint: Element, compiler: Element, path: str) -> None:
    place = Place(path, f'joint "{joint.get("name")}"')
    if joint.get("type", "hinge") == "ball":
        raise place.error("ball joints are not supported: write three hinge joints")
    if place.number(joint, "ref", default=0.0):
        raise place.error(f'ref="{joint.get("ref")}" is not supported: let positions count from 0')
    if place.number(joint, "stiffness", default=0.0):
        _warn(f"{place.file}: {place.element}: its spring (stiffness) is not honoured")
    automatic = compiler.get("autolimits", "true") == "true"
    limited = joint.attrib.pop("limited", "auto")
    if limited == "false" or (limited == "auto" and not automatic):
        joint.attrib.pop("range", None)
    if joint.get("type") == "slide" and "range" in joint.attrib:
        _undo_degrees(joint, compiler)


def _undo_degrees(slide: Element, compiler: Element) -> None:
    """Write a slide's range [m] so that Pinocchio, which takes it for an angle, gets it right."""
    if compiler.get("angle", "degree") != "radian":
        bounds = (math.degrees(float(bound)) for bound in slide.get("range", "").split())
        slide.set("range", " ".join(map(repr, bounds)))


def _prepare_geoms(body: Element, compiler: Element, place: Place) -> None:
    """Drop shapes that do not count for the inertia, and let all others count."""
    from_geom = compiler.get("inertiafromgeom", "auto")
    given = body.find("inertial") is not None and from_geom != "true"
    for geom in body.findall("geom"):
        mass = place.number(geom, "mass", default=place.number(geom, "density", default=1.0))
        if given or mass == 0.0:
            body.remove(geom)
        elif geom.get("type", "sphere") not in SOLIDS or "mesh" in geom.attrib:
            raise place.error("a mesh gives no inertia here: give the body an <inertial>")
        for key in ("contype", "conaffinity", "group", "material"):
            geom.attrib.pop(key, None)


def _warn_of_forces(top: Element, path: str) -> None:
    for tag in FORCES:
        if any(len(section) for section in top.findall(tag)):
            _warn(f"{path}: <{tag}> is not honoured")


def _warn(message: str) -> None:
    warnings.warn(message, RobotWarning, stacklevel=2)

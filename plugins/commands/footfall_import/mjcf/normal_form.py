"""The normal form of an MJCF, which engines load.

- Bodies and sites have a ``pos`` and a unit ``quat``. There are no geoms.
- A body with mass has an ``<inertial>`` with ``fullinertia``.
- A joint is a hinge or a slide with a ``pos`` and a unit ``axis``. It has a ``range`` [rad or m]
  only if it is limited.
- Bodies and joints have names.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.advanced import Inertial
from footfall.api.engine import Pose
from footfall.api.plugin import RobotError, RobotWarning
from footfall_import.mjcf.document import Document, bare_document, range_of, unit
from footfall_import.mjcf.geometry import read_geom
from footfall_import.mjcf.geoms_as_shapes import given_mass, mass_of, text, weighs_geoms
from footfall_import.mjcf.tree import is_free
from footfall_import.mjcf.values import check_children

FORCES = ("tendon", "deformable")
"""Sections with forces on the tree, which engines do not read."""


def normal_form(top: Element, path: Path) -> Element:
    """Return an MJCF in normal form.

    Forces on the bodies (tendons, springs, gravcomp) are left out with a ``RobotWarning``.

    Args:
        top: the file's top element.
        path: the file; includes are relative to it.

    Raises:
        RobotError: if the file is malformed or holds something that no engine reads: ball joints,
            a ``ref`` other than 0, masses changed by the compiler, mass given by a mesh only.
    """
    document = bare_document(top, path)
    for key in ("settotalmass", "boundmass", "boundinertia", "balanceinertia", "inertiagrouprange"):
        if document.compiler.get(key, "-1") not in ("-1", "0", "false"):
            raise RobotError(f"{path}: compiler: {key} is not supported: write the masses out")
    for world in document.top.findall("worldbody"):
        check_children(world, path)
    for tag in FORCES:
        if any(len(section) for section in document.top.findall(tag)):
            _warn(f"{path}: <{tag}> is not honoured")
    form = Element("mujoco", model=document.top.get("model", path.stem))
    SubElement(form, "compiler", angle="radian")
    inside = SubElement(form, "worldbody")
    for body in document.bodies:
        _write_body(inside, body, document)
    return form


def _write_body(outer: Element, body: Element, document: Document) -> None:
    """Write a body and its children."""
    place = document.place(body)
    check_children(body, document.path)
    if place.number(body, "gravcomp", default=0.0):
        _warn(f"{place}: gravcomp is not honoured")
    form = SubElement(outer, "body", _placed(body, document))
    mass = _mass(body, document)
    if mass is not None:
        I = mass.inertia  # noqa: E741 - the field's letter
        moments = text(I[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        values = {"mass": repr(float(mass.mass)), "pos": text(mass.com), "fullinertia": moments}
        SubElement(form, "inertial", values)
    if is_free(body):
        SubElement(form, "freejoint")
    else:
        for joint in body.findall("joint"):
            SubElement(form, "joint", _joint(joint, document))
    for site in body.findall("site"):
        SubElement(form, "site", _placed(site, document))
    for child in body.findall("body"):
        if is_free(child):
            raise document.place(child).error("a free joint is allowed on the root body only")
        _write_body(form, child, document)


def _placed(node: Element, document: Document) -> dict[str, str]:
    pose = document.pose(node)
    x, y, z, w = Rotation.from_matrix(pose.rotation).as_quat()
    placed = {"pos": text(pose.translation), "quat": text(np.array([w, x, y, z]))}
    return {"name": node.get("name", "")} | placed if node.get("name") else placed


def _joint(node: Element, document: Document) -> dict[str, str]:
    place, kind = document.place(node), node.get("type", "hinge")
    if kind not in ("hinge", "slide"):
        raise place.error(f"{kind} joints are not supported: write hinge joints")
    if place.number(node, "ref", default=0.0):
        raise place.error(f'ref="{node.get("ref")}" is not supported: count positions from 0')
    if place.number(node, "stiffness", default=0.0):
        _warn(f"{place}: its spring (stiffness) is not honoured")
    axis = unit(place.numbers(node, "axis", count=3, default=(0.0, 0.0, 1.0)), place)
    anchor = place.numbers(node, "pos", count=3, default=(0.0, 0.0, 0.0))
    form = {"name": node.get("name", ""), "type": kind}
    form |= {"pos": text(np.array(anchor)), "axis": text(axis)}
    for key in ("damping", "frictionloss", "armature"):
        form[key] = repr(place.at_least_zero(node, key))
    limits = range_of(document, node)
    if limits is not None:
        as_position = document.angle if kind == "hinge" else float
        form |= {"range": text(np.array([as_position(x) for x in limits])), "limited": "true"}
    torques = place.numbers(node, "actuatorfrcrange", count=2, default=(0.0, 0.0))
    return form | ({"actuatorfrcrange": text(np.array(torques))} if any(torques) else {})


def _mass(body: Element, document: Document) -> Inertial | None:
    """Return a body's mass properties in its own frame, None if it has no mass."""
    if not weighs_geoms(body, document):
        return given_mass(body, document)
    parts = [part for part in (_of_geom(g, document) for g in body.findall("geom")) if part]
    return Inertial.weld((Pose.identity(), part) for part in parts) if parts else None


def _of_geom(node: Element, document: Document) -> Inertial | None:
    """Return the mass properties of a geom in its body's frame.

    A plane has no mass. A mesh with mass is an error.
    """
    place = document.place(node)
    weight = place.number(node, "mass", default=place.number(node, "density", default=1.0))
    if weight == 0.0 or node.get("type") == "plane":
        return None
    if "mesh" in node.attrib:
        raise place.error("a mesh gives no inertia here: give the body an <inertial>")
    geom = read_geom(node, document)
    if isinstance(geom, str):
        raise place.error(f"{geom}: give the body an <inertial>")
    if min(geom.size) <= 0.0:
        raise place.error(f"a {geom.kind} needs sizes above 0")
    return mass_of(geom)


def _warn(message: str) -> None:
    warnings.warn(message, RobotWarning, stacklevel=2)

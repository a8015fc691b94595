"""Mass properties of an MJCF's bodies: as given, or those of their geoms."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.formats import Inertial
from footfall.api.geometry import Pose
from footfall.api.plugin import Floats
from footfall_featherstone.mjcf_document import Document, unit, upright_on

WATER = 1000.0
"""Density of a geom that gives none, [kg/m^3] (MuJoCo's default)."""
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""How many half sizes a geom has."""


def inertial_of(body: Element, document: Document) -> Inertial | None:
    """Return a body's mass properties in its own frame, None if it has no mass.

    Raises:
        RobotError: if a number is malformed, or a mesh would have to be weighed.
    """
    mode = document.compiler.get("inertiafromgeom", "auto")
    node = body.find("inertial")
    if mode == "false" or (mode == "auto" and node is not None):
        return None if node is None else _given(node, document)
    parts = [part for part in (_of_geom(g, document) for g in body.findall("geom")) if part]
    return Inertial.weld((Pose.identity(), part) for part in parts) if parts else None


def _given(node: Element, document: Document) -> Inertial | None:
    place = document.place(node)
    mass, pose = place.at_least_zero(node, "mass"), document.pose(node)
    if "fullinertia" in node.attrib:
        xx, yy, zz, xy, xz, yz = place.numbers(node, "fullinertia", count=6, default=None)
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        moments = np.diag(place.numbers(node, "diaginertia", count=3, default=(0.0, 0.0, 0.0)))
    if mass == 0.0:
        return None
    about = pose.rotation @ moments @ pose.rotation.T
    return Inertial(mass, pose.translation, 0.5 * (about + about.T))


def _of_geom(node: Element, document: Document) -> Inertial | None:
    """Return the mass properties of a geom in its body's frame.

    ``type="plane"`` weighs nothing; what MuJoCo weighs by the triangles of a file is refused.
    """
    place = document.place(node)
    weight = place.number(node, "mass", default=place.number(node, "density", default=1.0))
    if weight == 0.0 or node.get("type") == "plane":
        return None
    if node.get("shellinertia") == "true":
        raise place.error("shellinertia is not supported: give the body an <inertial>")
    if "mesh" in node.attrib:
        raise place.error("a mesh gives no inertia here: give the body an <inertial>")
    pose, size = _placed(node, document)
    volume, moments = _solid(node.get("type", "sphere"), size)
    mass = place.number(node, "mass", default=volume * place.number(node, "density", default=WATER))
    R = pose.rotation
    return Inertial(mass, pose.translation, R @ np.diag(moments * mass / volume) @ R.T)


def _placed(node: Element, document: Document) -> tuple[Pose, Floats]:
    """Return where a geom is in its body, and its half sizes, [m].

    ``fromto`` gives the ends of what is long along z, and its length.
    """
    place, kind = document.place(node), node.get("type", "sphere")
    if kind not in SIZES:
        raise place.error(f"a {kind} gives no inertia here: give the body an <inertial>")
    given = place.numbers(node, "size", count=len(node.get("size", "").split()), default=())
    along = "fromto" in node.attrib and kind != "sphere"
    needed = 1 if along else SIZES[kind]
    if len(given) < needed or min(given[:needed]) <= 0.0:
        raise place.error(f"a {kind} needs a size of {needed} numbers above 0")
    if not along:
        return document.pose(node), np.array(given[: SIZES[kind]])
    start, end = np.array(place.numbers(node, "fromto", count=6, default=None)).reshape(2, 3)
    axis = unit(end - start, place)
    half = 0.5 * float(np.linalg.norm(end - start))
    thick = [given[0]] * (SIZES[kind] - 1)
    return Pose(upright_on(axis), 0.5 * (start + end)), np.array([*thick, half])


def _solid(kind: str, size: Floats) -> tuple[float, Floats]:
    """Return volume [m^3] and principal moments about the centre at density 1, shape (3,)."""
    if kind in ("cylinder", "capsule"):
        return _barrel(float(size[0]), float(size[1]), capped=kind == "capsule")
    half = np.resize(size, 3)  # of a sphere three times its radius
    # Half axes a, b, c: m/5 (b^2 + c^2) for an ellipsoid, m/3 of the same for a box.
    factor, share = (8.0, 3.0) if kind == "box" else (4.0 / 3.0 * math.pi, 5.0)
    volume = factor * float(half.prod())
    squares = volume / share * half**2
    return volume, squares.sum() - squares


def _barrel(r: float, half: float, *, capped: bool) -> tuple[float, Floats]:
    """Return volume and moments of a cylinder along z, between two half balls if it is capped."""
    volume = 2.0 * math.pi * r**2 * half
    across, along = volume * (r**2 / 4.0 + half**2 / 3.0), volume * r**2 / 2.0
    if capped:
        ball = 4.0 / 3.0 * math.pi * r**3
        # A half ball's centre of mass is 3/8 r from its flat side (Steiner, there and back).
        across += ball * (2.0 / 5.0 * r**2 + half**2 + 3.0 / 4.0 * half * r)
        along += ball * 2.0 / 5.0 * r**2
        volume += ball
    return volume, np.array([across, across, along])

"""Conversion of MJCF geoms into URDF shapes and mass properties."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall.api.advanced import Inertial, drawn_triangles
from footfall.api.engine import Pose
from footfall.api.plugin import Floats, RobotError
from footfall.api.viewer import Shape
from footfall_import.mjcf.document import Document
from footfall_import.mjcf.geometry import Geom


def add_shapes(link: Element, geom: Geom) -> bool:
    """Add a geom to a URDF's link as visual and collision; False if a URDF has no such shape."""
    if geom.kind == "ellipsoid":
        return False
    for tag, wanted in (("visual", geom.drawn), ("collision", geom.touches)):
        if wanted:
            node = SubElement(link, tag)
            add_origin(node, geom.pose)
            _add_geometry(SubElement(node, "geometry"), geom)
            if tag == "visual" and (geom.color or geom.texture):
                material = SubElement(node, "material", name="")
                SubElement(material, "color", rgba=geom.color or "1 1 1 1")
                if geom.texture:
                    SubElement(material, "texture", filename=geom.texture)
    return True


def add_origin(node: Element, pose: Pose) -> None:
    """Add an ``<origin>``."""
    SubElement(node, "origin", xyz=text(pose.translation), rpy=text(np.array(pose.rpy)))


def add_joint(robot: Element, name: str, kind: str, ends: tuple[str, str], pose: Pose) -> Element:
    """Add a ``<joint>`` from its parent to its child link, and return it."""
    node = SubElement(robot, "joint", name=name, type=kind)
    add_origin(node, pose)
    for tag, link in zip(("parent", "child"), ends, strict=True):
        SubElement(node, tag, link=link)
    return node


def text(values: Floats) -> str:
    """Return numbers as a URDF attribute, without loss of digits."""
    return " ".join(repr(float(value)) for value in values)


def mass_of(geom: Geom, hulls: list[str] | None = None) -> Inertial | None:
    """Return the mass properties of a solid geom in its body's frame, None if it has no mass.

    Args:
        geom: a geom.
        hulls: list that gets the geom's name if its mesh encloses no volume; its hull is used then.

    Raises:
        RobotError: if a mesh cannot be read.
    """
    if geom.mass == 0.0 or (geom.mass is None and geom.density == 0.0):
        return None
    volume, com, moments = _uniform(geom)
    if geom.kind == "mesh" and not _is_sound(volume, moments):
        volume, com, moments = _hull_integrals(geom)
        if hulls is not None and volume > 0.0:
            hulls.append(geom.name)
    mass = geom.mass if geom.mass is not None else geom.density * volume
    if mass <= 0.0 or volume <= 0.0:
        return None
    R = geom.pose.rotation
    return Inertial(mass, geom.pose.apply(com), R @ moments @ R.T * (mass / volume))


def _is_sound(volume: float, moments: Floats) -> bool:
    """Return whether volume and moments are physically possible."""
    small, middle, large = np.linalg.eigvalsh(moments)
    return bool(volume > 0.0 and small > 0.0 and small + middle >= large)


def _add_geometry(node: Element, geom: Geom) -> None:
    size = geom.size
    match geom.kind:
        case "sphere":
            SubElement(node, "sphere", radius=repr(size[0]))
        case "box":
            SubElement(node, "box", size=text(2.0 * np.array(size)))
        case "mesh":
            SubElement(node, "mesh", filename=str(geom.mesh), scale=text(np.array(size)))
        case kind:
            SubElement(node, kind, radius=repr(size[0]), length=repr(2.0 * size[1]))


def _uniform(geom: Geom) -> tuple[float, Floats, Floats]:
    """Return volume, centre and moments about the centre of a solid of density 1, in its frame."""
    origin = np.zeros(3)
    match geom.kind:
        case "sphere":
            r = geom.size[0]
            volume = 4.0 / 3.0 * math.pi * r**3
            return volume, origin, 0.4 * volume * r**2 * np.eye(3)
        case "ellipsoid" | "box":
            a = np.array(geom.size)
            round_ = geom.kind == "ellipsoid"
            volume = float(a.prod()) * (4.0 / 3.0 * math.pi if round_ else 8.0)
            squares = volume * a**2 / (5.0 if round_ else 3.0)
            return volume, origin, np.diag(squares.sum() - squares)
        case "cylinder" | "capsule":
            return (*_barrel(geom.size[0], geom.size[1], caps=geom.kind == "capsule"),)
    return _mesh_integrals(geom, geom.inertia)


def _barrel(r: float, half: float, *, caps: bool) -> tuple[float, Floats, Floats]:
    """Return the integrals of a cylinder, with half spheres on its ends if it is a capsule."""
    volume = 2.0 * math.pi * r**2 * half
    across = volume * (r**2 / 4.0 + half**2 / 3.0)
    along = volume * r**2 / 2.0
    if caps:
        ball = 4.0 / 3.0 * math.pi * r**3
        # Each half's centre is 3/8 r beyond the cylinder's end (Steiner, twice).
        across += ball * (0.4 * r**2 + half**2 + 0.75 * half * r)
        along += ball * 0.4 * r**2
        volume += ball
    return volume, np.zeros(3), np.diag([across, across, along])


def legacy_mass(geom: Geom) -> float:
    """Return the mass [kg] that MuJoCo gives a mesh whose file names no rule (``legacy``)."""
    return geom.density * _mesh_integrals(geom, "legacy")[0]


def _mesh_integrals(geom: Geom, rule: str) -> tuple[float, Floats, Floats]:
    """Return the integrals over a mesh, as a sum over tetrahedra from its centre of mass.

    The rule is MuJoCo's ``inertia``: ``convex`` takes the convex hull, ``legacy`` counts each
    tetrahedron as positive; ``shell`` integrates over the surface, per m^2; all others count the
    enclosed volume (``exact``).

    For a closed mesh any apex gives the same result. For an open mesh the centre is computed with
    tetrahedra from the middle of its surface, so that the file's origin has no influence, as in
    MuJoCo.
    """
    if rule == "convex":
        return _hull_integrals(geom)
    corners = drawn_triangles(Shape("mesh", geom.size, str(geom.mesh)))
    if rule == "shell":
        return _shell(corners)
    inside_out: Floats = corners[:, ::-1]
    turned = inside_out if np.prod(geom.size) < 0.0 else corners  # mirrored
    return _enclosed(turned, np.abs if rule == "legacy" else np.positive)


def _shell(corners: Floats) -> tuple[float, Floats, Floats]:
    """Return the integrals over triangles, shape (n, 3, 3)."""
    a, b, c = corners.swapaxes(0, 1)
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    com = areas @ corners.mean(axis=1) / areas.sum()
    corners = corners - com
    sums = corners.sum(axis=1)
    second = np.einsum("k,kai,kaj->ij", areas, corners, corners)
    second = (second + np.einsum("k,ki,kj->ij", areas, sums, sums)) / 12.0
    return float(areas.sum()), com, np.trace(second) * np.eye(3) - second


def _hull_integrals(geom: Geom) -> tuple[float, Floats, Floats]:
    """Return the integrals over a mesh's convex hull, zeros if it spans no volume."""
    points = drawn_triangles(Shape("mesh", geom.size, str(geom.mesh))).reshape(-1, 3)
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return 0.0, np.zeros(3), np.zeros((3, 3))
    corners = points[hull.simplices]
    a, b, c = corners.swapaxes(0, 1)
    outward = np.einsum("ki,ki->k", np.cross(b - a, c - a), hull.equations[:, :3]) > 0.0
    return _enclosed(np.where(outward[:, None, None], corners, corners[:, ::-1]))


def _enclosed(corners: Floats, counted: np.ufunc = np.positive) -> tuple[float, Floats, Floats]:
    """Return the integrals over the volume in outward triangles, shape (n, 3, 3).

    ``counted`` maps the signed volume of each tetrahedron to the one that counts.
    """
    a, b, c = corners.swapaxes(0, 1)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    middle = areas @ corners.mean(axis=1) / areas.sum() if areas.any() else np.zeros(3)
    volumes: Floats = counted(_tetrahedra(corners - middle))
    volume = float(volumes.sum())
    if not volume:
        return 0.0, middle, np.zeros((3, 3))
    com = middle + volumes @ (corners - middle).sum(axis=1) / (4.0 * volume)
    corners = corners - com
    volumes = counted(_tetrahedra(corners))
    sums = corners.sum(axis=1)
    # Second moments of a tetrahedron with a corner at the origin.
    second = np.einsum("k,kai,kaj->ij", volumes, corners, corners)
    second = (second + np.einsum("k,ki,kj->ij", volumes, sums, sums)) / 20.0
    return float(volumes.sum()), com, np.trace(second) * np.eye(3) - second


def _tetrahedra(corners: Floats) -> Floats:
    """Return the signed volume between the origin and each triangle, shape (n,), [m^3]."""
    volumes: Floats = np.linalg.det(corners) / 6.0
    return volumes


def body_mass(
    document: Document, body: Element, geoms: list[Geom], hulls: list[str] | None = None
) -> Inertial | None:
    """Return a body's mass properties, from its ``<inertial>`` or its geoms."""
    if not weighs_geoms(body, document):
        return _bounded(given_mass(body, document), document)
    heavy = [geom for geom in geoms if document.weighs(geom.group)]
    parts = [part for part in (_weighed(document, body, geom, hulls) for geom in heavy) if part]
    whole = Inertial.weld((Pose.identity(), part) for part in parts) if parts else None
    return _bounded(whole, document)


def _weighed(
    document: Document, body: Element, geom: Geom, hulls: list[str] | None
) -> Inertial | None:
    """Return the mass properties of a body's geom, None if it has no mass."""
    try:
        return mass_of(geom, hulls)
    except RobotError as error:
        name = f' "{geom.name}"' if geom.name else ""
        raise document.place(body).error(
            f"no mass can be computed for its geom{name}: {error}"
        ) from error


def _bounded(mass: Inertial | None, document: Document) -> Inertial | None:
    """Return mass properties with the compiler's bounds and balance of the principal moments."""
    least, moment = document.setting("boundmass"), document.setting("boundinertia")
    balance = document.compiler.get("balanceinertia") == "true"
    if not least and not moment and not (balance and mass):
        return mass
    given = mass or Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    values, axes = np.linalg.eigh(given.inertia)
    values = np.maximum(values, moment)
    if balance and values[0] + values[1] < values[2]:
        values[:] = values.mean()
    inertia: Floats = axes @ np.diag(values) @ axes.T
    return Inertial(max(given.mass, least), given.com, 0.5 * (inertia + inertia.T))


def weighs_geoms(body: Element, document: Document) -> bool:
    """Return whether a body's mass comes from its geoms instead of its ``<inertial>``."""
    mode = document.compiler.get("inertiafromgeom", "auto")
    return mode == "true" or (mode == "auto" and body.find("inertial") is None)


def given_mass(body: Element, document: Document) -> Inertial | None:
    """Return the mass properties of a body's ``<inertial>`` in its frame; None without mass."""
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


def add_inertial(link: Element, mass: Inertial) -> None:
    """Add an ``<inertial>`` to a URDF's link, without loss of digits."""
    node = SubElement(link, "inertial")
    SubElement(node, "origin", xyz=text(mass.com))
    SubElement(node, "mass", value=repr(float(mass.mass)))
    entries = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2)}
    entries |= {"ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    values = {key: repr(float(mass.inertia[at])) for key, at in entries.items()}
    SubElement(node, "inertia", values)

"""The reader of visuals and collisions of a URDF's links."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.errors import RobotError, RobotWarning
from footfall.formats.mesh_paths import find_mesh
from footfall.formats.urdf import Collision, Visual
from footfall.formats.xml import FileElement
from footfall.geometry.shapes import Material, Shape
from footfall.spatial.pose import Pose

_PRIMITIVES = {"cylinder": ("radius", "length"), "capsule": ("radius", "length")}


def read_visuals(
    link: Element, materials: Mapping[str, Material], urdf: Path, place: FileElement
) -> tuple[Visual, ...]:
    """Return a link's visuals; without size or mesh, one is left out with a ``RobotWarning``."""
    visuals = []
    for node in link.findall("visual"):
        shape = read_shape(node, urdf, place)
        if _is_missing(shape) or _is_empty(shape):
            what = "has no size" if _is_empty(shape) else f"mesh {shape.mesh!r} was not found"
            message = f"{place}: visual {what}; left out"
            warnings.warn(message, RobotWarning, stacklevel=2)
            continue
        looks = _material(node.find("material"), materials, urdf, place)
        visuals.append(Visual(read_origin(node, place), shape, *looks))
    return tuple(visuals)


def read_collisions(link: Element, urdf: Path, place: FileElement) -> tuple[Collision, ...]:
    """Return a link's collision shapes; one without size is left out with a ``RobotWarning``.

    Raises:
        RobotError: if a mesh is missing.
    """
    collisions = []
    for node in link.findall("collision"):
        shape = read_shape(node, urdf, place)
        if _is_missing(shape):
            raise place.error(f"collision mesh {shape.mesh!r} was not found")
        if _is_empty(shape):
            message = f"{place}: collision has no size; left out"
            warnings.warn(message, RobotWarning, stacklevel=2)
            continue
        collisions.append(Collision(read_origin(node, place), shape))
    return tuple(collisions)


def read_origin(node: Element, place: FileElement) -> Pose:
    """Return the placement of an element's ``<origin>``, the identity if there is none."""
    origin = node.find("origin")
    if origin is None:
        return Pose.identity()
    zero = (0.0, 0.0, 0.0)
    xyz = place.numbers(origin, "xyz", count=3, default=zero)
    return Pose.from_rpy(xyz, place.numbers(origin, "rpy", count=3, default=zero))


def read_shape(node: Element, urdf: Path, place: FileElement) -> Shape:
    """Return the shape of a visual or collision; a mesh that is not found keeps its URI."""
    geometry = node.find("geometry")
    if geometry is None or len(geometry) != 1:
        raise place.error(f"<{node.tag}> needs a <geometry> with one shape")
    kind = geometry[0].tag
    if kind == "mesh":
        return _mesh(geometry[0], urdf, place)
    if kind == "box":
        size = place.numbers(geometry[0], "size", count=3, default=None)
    elif kind == "sphere":
        size = (place.number(geometry[0], "radius"),)
    elif kind in _PRIMITIVES:
        size = tuple(place.number(geometry[0], key) for key in _PRIMITIVES[kind])
    else:
        allowed = "box, sphere, cylinder, capsule, mesh"
        raise place.error(f"<{node.tag}> shape <{kind}> is not known (allowed: {allowed})")
    if min(size) < 0.0:
        raise place.error(f"<{node.tag}> sizes of <{kind}> must be positive")
    return Shape(kind, size)


def _mesh(node: Element, urdf: Path, place: FileElement) -> Shape:
    uri = place.attribute(node, "filename")
    scale = place.numbers(node, "scale", count=3, default=(1.0, 1.0, 1.0))
    found = find_mesh(uri, urdf)
    return Shape("mesh", scale, str(found) if found else uri)


def _is_empty(shape: Shape) -> bool:
    return shape.kind != "mesh" and min(shape.size) == 0.0


def _is_missing(shape: Shape) -> bool:
    return shape.kind == "mesh" and not Path(shape.mesh or "").is_file()


def _material(
    node: Element | None, materials: Mapping[str, Material], urdf: Path, place: FileElement
) -> Material:
    """Return the material in a visual's ``<material>``, or else the one defined by its name."""
    if node is None:
        return None, None
    own = read_material(node, urdf, place)
    return own if any(own) else materials.get(node.get("name", ""), own)


def read_material(node: Element, urdf: Path, place: FileElement) -> Material:
    """Return the material of a ``<material>``; a texture that is not found keeps its URI.

    A malformed colour is left out with a ``RobotWarning``.
    """
    rgba, image = node.find("color"), node.find("texture")
    uri = None if image is None else image.get("filename")
    file = str(find_mesh(uri, urdf) or uri) if uri else None
    if rgba is None:
        return None, file
    try:
        red, green, blue, opacity = place.numbers(rgba, "rgba", count=4, default=None)
    except RobotError as error:
        warnings.warn(f"{error}: drawn in the default colour", RobotWarning, stacklevel=2)
        return None, file
    return (red, green, blue, opacity), file

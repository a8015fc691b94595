"""Geoms of an MJCF: collision shapes and visuals of its bodies."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import FileElement, PlacedShape, Visual
from footfall.api.engine import Pose
from footfall.api.viewer import Shape
from footfall_import.mjcf.document import Document, read_document, turn_z_to
from footfall_import.mjcf.looks import Look

WATER = 1000.0
"""Default density of a geom, [kg/m^3] (MuJoCo's default)."""
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
FROMTO = ("capsule", "cylinder", "ellipsoid", "box")
HIDDEN_GROUP = 3
"""First group that MuJoCo's viewer hides by default."""


@dataclass(frozen=True, slots=True, eq=False)
class Geom:
    """A geom.

    Attributes:
        name: empty if unnamed.
        kind: ``sphere``, ``capsule``, ``cylinder``, ``ellipsoid``, ``box`` or ``mesh``.
        pose: in its body.
        size: MuJoCo's half sizes, [m]; the scale of a mesh.
        mesh: file of a mesh.
        inertia: rule for the mass of a mesh, MuJoCo's ``inertia``; empty if the file gives none.
        group: its group.
        touches: True if it can touch anything.
        drawn: True if it is drawn.
        color: rgba, empty if the file gives none.
        texture: texture image of a mesh, empty without one.
        mass: [kg] if the file gives it.
        density: [kg/m^3] if it does not.
    """

    name: str
    kind: str
    pose: Pose
    size: tuple[float, ...]
    mesh: Path | None
    inertia: str
    group: int
    touches: bool
    drawn: bool
    color: str
    texture: str
    mass: float | None
    density: float


def read_geom(node: Element, document: Document) -> Geom | str:
    """Return a geom, or the reason for leaving it out.

    Raises:
        RobotError: if a number is missing or malformed.
    """
    place = document.place(node)
    kind = node.get("type", "mesh" if "mesh" in node.attrib else "sphere")
    if kind == "plane":
        return "a plane belongs in the scene: see [world.terrain]"
    if kind == "sdf":
        return "a signed distance field (sdf) of a plugin is left out, with its mass: use a mesh"
    if kind not in SIZES and kind != "mesh":
        return f"type {kind} is left out, with its mass"
    if kind != "mesh" and "mesh" in node.attrib:
        return f"a {kind} fitted to a mesh is left out, with its mass: give its size"
    if node.get("shellinertia") == "true":
        raise place.error("shellinertia is not supported: give the body an <inertial>")
    pose, size, mesh = document.pose(node), _sizes(node, kind, place), None
    rule = ""
    if "fromto" in node.attrib and kind in FROMTO:
        pose, size = _from_to(node, kind, size, place)
    if kind == "mesh":
        asset = document.meshes.get(node.get("mesh", ""))
        if asset is None:
            raise place.error(f'there is no mesh asset "{node.get("mesh", "")}" with content')
        size, mesh, pose = asset.scale, asset.file, pose @ asset.pose
        rule = asset.inertia
    look = document.looks.get(node.get("material", ""), Look())
    if mesh is not None and not mesh.is_file():
        if touches(node, document):
            raise place.error(f"{mesh} was not found, and this geom takes part in contact")
        return f"{mesh} was not found: it is not drawn"
    return Geom(
        name=node.get("name", ""),
        kind=kind,
        pose=pose,
        size=size,
        mesh=mesh,
        inertia=rule,
        group=int(place.number(node, "group", default=0.0)),
        touches=touches(node, document),
        drawn=place.number(node, "group", default=0.0) < HIDDEN_GROUP,
        color=look.painted(_rgba(node, place)),
        texture=look.image,
        mass=place.at_least_zero(node, "mass") if "mass" in node.attrib else None,
        density=place.at_least_zero(node, "density") if "density" in node.attrib else WATER,
    )


def _rgba(node: Element, place: FileElement) -> str:
    """Return a geom's own colour, empty without one."""
    if node.get("rgba", "").strip():  # an empty rgba is ignored, as in MuJoCo
        place.numbers(node, "rgba", count=4, default=None)
    return node.get("rgba", "").strip()


def _sizes(node: Element, kind: str, place: FileElement) -> tuple[float, ...]:
    if kind == "mesh":
        return ()
    given = len(node.get("size", "").split())
    needed = 1 if "fromto" in node.attrib and kind in FROMTO else SIZES[kind]
    if given < needed:
        raise place.error(f"a {kind} needs a size of {needed} numbers")
    sizes = place.numbers(node, "size", count=given, default=None)
    if min(sizes[:needed]) <= 0.0:
        raise place.error(f'size="{node.get("size")}": a {kind} needs sizes above 0')
    return sizes[: SIZES[kind]]


def _from_to(
    node: Element, kind: str, size: tuple[float, ...], place: FileElement
) -> tuple[Pose, tuple[float, ...]]:
    """Return the pose and half sizes of a geom whose z axis goes from one point to another."""
    ends = np.array(place.numbers(node, "fromto", count=6, default=None)).reshape(2, 3)
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    if length < 1e-10:
        raise place.error("fromto has no length")
    # MuJoCo turns z against the segment; for these symmetric shapes there is no difference.
    pose = Pose(turn_z_to(along / length), ends.mean(axis=0))
    thick = (size[0], size[0]) if kind in ("box", "ellipsoid") else (size[0],)
    return pose, (*thick, length / 2.0)


def read_shapes(path: Path, without: Collection[str] = ()) -> tuple[PlacedShape, ...]:
    """Return the collision shapes of an MJCF's bodies, in the file's order.

    Left out are geoms of the file's world (its floor), and geoms whose ``contype`` and
    ``conaffinity`` are both 0. Friction is not read: MuJoCo combines it differently.

    Args:
        path: the file.
        without: names of bodies to leave out.

    Raises:
        RobotError: if the file cannot be read, or a shape is of an unsupported kind.
    """
    document = read_document(path)
    return tuple(_placed(document, without))


def read_excluded(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the pairs of bodies that the file's ``<contact>`` excludes from contacts.

    Raises:
        RobotError: if the file cannot be read.
    """
    top = read_document(path).top
    excluded = [node for section in top.findall("contact") for node in section.findall("exclude")]
    return tuple((node.get("body1", ""), node.get("body2", "")) for node in excluded)


def read_visuals(path: Path) -> Iterator[tuple[str, Visual]]:
    """Yield the visuals of an MJCF's bodies, with the name of the body.

    Left out are geoms of groups that MuJoCo's viewer hides, and of kinds that cannot be drawn.

    Raises:
        RobotError: if the file cannot be read.
    """
    document = read_document(path)
    for name, node in _geoms(document):
        geom = read_geom(node, document)
        shape = None if isinstance(geom, str) or not geom.drawn else shape_of(geom)
        if not isinstance(geom, str) and shape is not None:
            given = [float(part) for part in geom.color.split()]
            color = (given[0], given[1], given[2], given[3]) if given else None
            # MuJoCo reads no materials of mesh files.
            yield name, Visual(geom.pose, shape, color, geom.texture or None, covers=True)


def _placed(document: Document, without: Collection[str]) -> Iterator[PlacedShape]:
    for name, node in _geoms(document):
        place = document.place(node)
        bits = bits_of(node, place)
        if name in without or not any(bits):
            continue
        geom = read_geom(node, document)
        shape = None if isinstance(geom, str) else shape_of(geom)
        if isinstance(geom, str) or shape is None:
            kind = node.get("type", "sphere")
            raise place.error(
                f'a {kind} of body "{name}" is not supported as a collision shape: set '
                'collisions = "ignored" (or "other_links") in [model] of robot.toml'
            )
        yield PlacedShape(name, geom.pose, shape, bits=bits)


def _geoms(document: Document) -> Iterator[tuple[str, Element]]:
    """Yield the geoms of all bodies, with the name of the body."""
    for root in document.bodies:
        for body in root.iter("body"):
            for node in body.findall("geom"):
                yield body.get("name", ""), node


def touches(node: Element, document: Document) -> bool:
    """Return whether a geom can touch anything: by its bits or by a ``<pair>``."""
    paired = node.get("name") and node.get("name") in document.paired
    return bool(paired) or any(bits_of(node, document.place(node)))


def bits_of(node: Element, place: FileElement) -> tuple[int, int]:
    """Return ``contype`` and ``conaffinity`` of a geom."""
    contype, conaffinity = (
        int(place.number(node, key, default=1.0)) for key in ("contype", "conaffinity")
    )
    return contype, conaffinity


def shape_of(geom: Geom) -> Shape | None:
    """Return the shape with full lengths instead of half lengths, None for an ellipsoid."""
    size = geom.size
    match geom.kind:
        case "sphere":
            return Shape("sphere", (size[0],))
        case "box":
            return Shape("box", (2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
        case "capsule" | "cylinder":
            return Shape(geom.kind, (size[0], 2.0 * size[1]))
        case "mesh":
            return Shape("mesh", size, str(geom.mesh))
    return None

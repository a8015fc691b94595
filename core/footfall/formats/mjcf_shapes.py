"""Collision shapes of an MJCF file."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.formats.mjcf_document import Document, name_everything, read_document
from footfall.formats.mjcf_geom import Geom, read_geom
from footfall.formats.urdf import Visual
from footfall.formats.xml import Place, number, numbers
from footfall.interfaces.visualizer import Shape
from footfall.model.placed_shape import PlacedShape


def read_shapes(path: Path, without: Collection[str] = ()) -> tuple[PlacedShape, ...]:
    """Return what can touch others of an MJCF's bodies, in the file's order.

    Left out is what belongs to the file's world (its floor), and what has neither a ``contype`` nor
    a ``conaffinity``. Its friction is not read: MuJoCo combines it in another way.

    Args:
        path: the file.
        without: names of bodies whose shapes are not asked for.

    Raises:
        RobotError: if the file cannot be read, or a shape is of a kind that cannot touch others.
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
    """Yield what is drawn of an MJCF's bodies, with the name of the body.

    Left out are geoms of the groups that MuJoCo's viewer does not show, and of kinds that cannot
    be drawn.

    Raises:
        RobotError: if the file cannot be read.
    """
    document = read_document(path)
    for name, node in _geoms(document):
        geom = read_geom(node, document)
        shape = None if isinstance(geom, str) or not geom.drawn else _shape(geom)
        if not isinstance(geom, str) and shape is not None:
            rgba = numbers(node, "rgba", document.place(node), count=4, default=())
            given = rgba or tuple(float(part) for part in geom.color.split())
            color = (given[0], given[1], given[2], given[3]) if len(given) == 4 else None
            yield name, Visual(geom.pose, shape, color)


def _placed(document: Document, without: Collection[str]) -> Iterator[PlacedShape]:
    for name, node in _geoms(document):
        place = document.place(node)
        bits = _bits(node, place)
        if name in without or not any(bits):
            continue
        geom = read_geom(node, document)
        shape = None if isinstance(geom, str) else _shape(geom)
        if isinstance(geom, str) or shape is None:
            kind = node.get("type", "sphere")
            raise place.error(
                f'a {kind} of body "{name}" has no collision shape here: leave the file\'s out, '
                'collisions = "ignored" (or "other_links") in [model] of robot.toml'
            )
        yield PlacedShape(name, geom.pose, shape, bits=bits)


def _geoms(document: Document) -> Iterator[tuple[str, Element]]:
    """Yield the geoms of all bodies with the name of the body; unnamed bodies get names."""
    bodies = [b for world in document.top.findall("worldbody") for b in world.findall("body")]
    name_everything(bodies)
    for root in bodies:
        for body in root.iter("body"):
            for node in body.findall("geom"):
                yield body.get("name", ""), node


def _bits(node: Element, place: Place) -> tuple[int, int]:
    contype, conaffinity = (
        int(number(node, key, place, default=1.0)) for key in ("contype", "conaffinity")
    )
    return contype, conaffinity


def _shape(geom: Geom) -> Shape | None:
    """Return the shape; full lengths where an MJCF has half of them."""
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

"""Fixed things of an MJCF's world: its ground, and geoms that become objects of the scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import read_heights
from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall.api.viewer import Shape
from footfall_import.checks import Finding
from footfall_import.locate import free_name
from footfall_import.mjcf.document import Document
from footfall_import.mjcf.geometry import Geom, read_geom, shape_of, touches
from footfall_import.model import FixedObject

LEVEL = 1e-9
"""Largest sine of the tilt of a plane that counts as level, [-]."""
WIDE, THICK = 50.0, 0.1
"""Half length of a plane without a size, and thickness of the box that replaces a plane, [m]."""
LISTED = 20
"""Number of geoms that a finding names."""
NEAR = 0.5
"""Distance from a robot's start within which it starts above the ground, [m]."""
SLIDING = 1.0
"""MuJoCo's default coefficient of sliding friction of a geom, [-]."""


@dataclass(frozen=True, slots=True)
class World:
    """The fixed things of a file.

    Attributes:
        ground: height of its lowest level plane, [m], None without one.
        relief: the only level height field of a world without such a plane: the ground.
        objects: all other geoms that can touch something.
        geoms: name of each object, and its element.
        findings: geoms that were left out.
    """

    ground: float | None
    relief: FixedObject | None
    objects: tuple[FixedObject, ...]
    geoms: tuple[tuple[str, Element], ...]
    findings: tuple[Finding, ...]


def is_trunk(geom: Element) -> bool:
    """Return whether a geom of the world is part of a robot that is fixed to it.

    Converters that merge a fixed base with the world leave its meshes without names.
    """
    return "mesh" in geom.attrib and not geom.get("name")


def read_world(document: Document, bodies: Sequence[Element], *, trunk: bool) -> World:
    """Return the fixed things of the world.

    Args:
        document: the file.
        bodies: root bodies without joints that become objects.
        trunk: True if the geoms of ``is_trunk`` are part of the robot.

    Raises:
        RobotError: if a geom is malformed.
    """
    nodes = [(node, Pose.identity(), "") for node in _geoms_of_world(document)]
    nodes = [each for each in nodes if not (trunk and is_trunk(each[0]))]
    for body in bodies:
        nodes += _below(document, body, Pose.identity())
    touching = [(node, at) for node, at, _ in nodes if touches(node, document)]
    level = [(_height(document, node, at), node) for node, at in touching]
    heights = [(height, node) for height, node in level if height is not None]
    ground, floor = min(heights, key=lambda each: each[0], default=(None, None))
    roots = {body.get("name", "") for body in document.bodies if body not in bodies} | {"terrain"}
    found: list[FixedObject] = []
    geoms: list[tuple[str, Element]] = []
    drawn: list[str] = []
    findings: list[Finding] = []
    for k, (node, at, owner) in enumerate(nodes):
        if node is floor:
            continue
        name = node.get("name") or (f"{owner}_{k}" if owner else f"world_geom_{k}")
        name = owner if owner and sum(each[2] == owner for each in nodes) == 1 else name
        if not touches(node, document):
            drawn.append(name)
            continue
        made = _object(document, node, at)
        if isinstance(made, str):
            findings.append(Finding("warning", f'geom "{name}" of the world', made, lost=True))
        else:
            name = free_name(name, {each.name for each in found} | roots)
            found.append(replace(made, name=name))
            geoms.append((name, node))
    if floor is not None:
        text = "a level plane: the scene's [world.terrain] is the ground"
        findings.append(Finding("note", f'geom "{floor.get("name", "")}"', text))
    if drawn:
        text = f"fixed to the world and drawn only: left out ({_some(drawn)})"
        findings.append(Finding("note", f"{len(drawn)} geoms", text, lost=True))
    hills = [each for each in found if each.heights is not None]
    level_hill = len(hills) == 1 and hills[0].pose.rotation[2, 2] > 1.0 - LEVEL
    relief = hills[0] if level_hill and floor is None else None
    if relief is not None:
        found.remove(relief)
        geoms = [each for each in geoms if each[0] != relief.name]
        text = "a height field: it is the scene's ground"
        findings.append(Finding("note", f'geom "{relief.name}"', text))
    if found:
        text = f"fixed objects of the scene: {_some([each.name for each in found])}"
        findings.append(Finding("note", f"{len(found)} geoms of the world", text))
    return World(ground, relief, tuple(found), tuple(geoms), tuple(findings))


def _some(names: list[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def ground_below(world: World, start: Pose | None) -> float:
    """Return the height of the ground, [m]: of a relief the highest within ``NEAR`` of a pose."""
    relief = world.relief
    if relief is None or relief.heights is None:
        return world.ground or 0.0
    centre = relief.pose.translation
    x, y = (start.translation if start else centre)[:2] - centre[:2]
    (lx, ly, _), (nx, ny) = relief.shape.size, relief.heights.shape
    along = np.abs(np.linspace(-0.5 * lx, 0.5 * lx, nx) - x) <= NEAR
    across = np.abs(np.linspace(-0.5 * ly, 0.5 * ly, ny) - y) <= NEAR
    return float(centre[2] + relief.heights[np.ix_(along, across)].max(initial=0.0))


def _geoms_of_world(document: Document) -> Iterator[Element]:
    for world in document.top.findall("worldbody"):
        yield from world.findall("geom")


def _below(document: Document, body: Element, at: Pose) -> list[tuple[Element, Pose, str]]:
    """Return the geoms of a body and its children, with the pose and name of their body."""
    here = at @ document.pose(body)
    own = [(node, here, body.get("name", "")) for node in body.findall("geom")]
    inner = [each for child in body.findall("body") for each in _below(document, child, here)]
    return own + inner


def _height(document: Document, node: Element, at: Pose) -> float | None:
    """Return the height of a level plane that faces up, None for other geoms, [m]."""
    if node.get("type") != "plane":
        return None
    pose = at @ document.pose(node)
    x, y, z = pose.rotation[:, 2]
    return float(pose.translation[2]) if z > 0.0 and abs(x) + abs(y) <= LEVEL else None


def _object(document: Document, node: Element, at: Pose) -> FixedObject | str:
    """Return a geom as an object without a name, or the reason for leaving it out."""
    place, kind = document.place(node), node.get("type")
    sliding = place.numbers(
        node, "friction", count=max(len(node.get("friction", "").split()), 1), default=(SLIDING,)
    )[0]
    pose = at @ document.pose(node)
    if kind == "plane":
        given = place.numbers(node, "size", count=3, default=(0.0, 0.0, 0.0))
        x, y = (2.0 * (half or WIDE) for half in given[:2])
        below = pose @ Pose(np.eye(3), np.array([0.0, 0.0, -0.5 * THICK]))
        return FixedObject("", Shape("box", (x, y, THICK)), below, sliding)
    if kind == "hfield":
        return _height_field(document, node, pose, sliding)
    geom = read_geom(node, document)
    if isinstance(geom, str):
        return geom
    shape = shape_of(geom)
    if shape is None or (geom.kind == "mesh" and min(geom.size) <= 0.0):
        return f"{'a mirrored mesh' if shape else geom.kind}: no fixed object can have this shape"
    return FixedObject("", shape, at @ geom.pose, sliding, _rgb(geom))


def _rgb(geom: Geom) -> tuple[float, float, float] | None:
    red, green, blue = [*(float(part) for part in geom.color.split()[:3]), *[0.5] * 3][:3]
    return (red, green, blue) if geom.color else None


def _height_field(
    document: Document, node: Element, pose: Pose, sliding: float
) -> FixedObject | str:
    wanted = node.get("hfield", "")
    for asset in document.top.findall("asset/hfield"):
        if wanted in (asset.get("name"), Path(asset.get("file", "")).stem):
            place = document.place(asset)
            x, y, top, _ = place.numbers(asset, "size", count=4, default=None)
            heights = _heights(document, asset)
            if isinstance(heights, str):
                return heights
            span = float(np.ptp(heights)) or 1.0
            heights = top * (heights - heights.min()) / span
            shape = Shape("heightfield", (2.0 * x, 2.0 * y, 1.0))
            return FixedObject("", shape, pose, sliding, heights=heights)
    return f'there is no height field "{wanted}"'


MOST_HEIGHTS = 10_000_000
"""Most heights of a height field."""


def _heights(document: Document, asset: Element) -> Floats | str:
    """Return the heights of an asset, entry [i, j] at x_i, y_j, of any scale and offset."""
    from PIL import Image

    place, file = document.place(asset), asset.get("file")
    if not file:
        rows, columns = (int(place.number(asset, key, default=0.0)) for key in ("nrow", "ncol"))
        if not 0 < rows * columns <= MOST_HEIGHTS:
            return f"its {rows} x {columns} heights are not from 1 to {MOST_HEIGHTS:.0e}"
        given = place.numbers(
            asset, "elevation", count=rows * columns, default=(0.0,) * (rows * columns)
        )
        return np.array(given).reshape(rows, columns)[::-1].T
    folder = document.compiler.get("meshdir") or document.compiler.get("assetdir") or ""
    path = document.path.parent / folder / file
    if not path.is_file():
        return f"{path} was not found"
    if path.suffix.lower() == ".png":
        with Image.open(path, formats=["PNG"]) as picture:
            if not picture.mode.startswith("RGB"):
                return read_heights(str(path))
            bands = np.asarray(picture, np.float64)[::-1, :, :3]  # grey stored as colours
        return f"{path} is not grey" if np.ptp(bands, axis=2).any() else bands[:, :, 0].T
    rows, columns = (*np.fromfile(path, np.int32, 2).tolist(), 0, 0)[:2]
    if min(rows, columns) < 1 or path.stat().st_size != 8 + 4 * int(rows) * int(columns):
        return f"{path} holds no height field: its size does not fit its {rows} x {columns} heights"
    data = np.fromfile(path, np.float32, offset=8).reshape(rows, columns)
    return np.array(data.T, np.float64)

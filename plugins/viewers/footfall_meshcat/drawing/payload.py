"""The payload of a page: a JSON header and named arrays; equal shapes of a scene only once."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import Node
from footfall.api.plugin import RobotError, RobotWarning, nearest
from footfall.api.viewer import Ground, GroundSurface, SceneGraph, Shape
from footfall_meshcat.drawing.palette import Palette, told_apart
from footfall_meshcat.drawing.surface import Surface, mesh_surface, weld

ALIGNMENT = 8
"""Alignment of every array, [byte], so that JavaScript can view it in place."""

_TYPES = {"f4", "f8", "i1", "u1", "u2", "u4"}


def pack_payload(header: Mapping[str, object], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return header and arrays as bytes.

    Layout, little-endian: length of the header (uint32), the header as JSON padded with spaces,
    the arrays one after the other. The header's key ``arrays`` gives the type of each, its offset
    from the end of the header [byte] and its number of elements.

    Args:
        header: anything that JSON can hold, without NaN and infinity.
        arrays: arrays by name; of type float32, float64, int8, uint8, uint16 or uint32.

    Raises:
        ValueError: if the header holds NaN or infinity, or an array is of another type.
    """
    table, blocks, offset = {}, [], 0
    for name, array in arrays.items():
        kind = array.dtype.newbyteorder("<").str[1:]
        if kind not in _TYPES:
            raise ValueError(f"array {name!r} has type {array.dtype}, which a page cannot hold")
        data = np.ascontiguousarray(array, dtype="<" + kind).tobytes()
        table[name] = {"type": kind, "offset": offset, "length": array.size}
        padding = -len(data) % ALIGNMENT
        blocks += [data, bytes(padding)]
        offset += len(data) + padding
    text = json.dumps({**header, "arrays": table}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return b"".join([len(text).to_bytes(4, "little"), text, *blocks])


def unpack_payload(data: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the header and the flat arrays of ``pack_payload``, as the page reads them."""
    start = 4 + int.from_bytes(data[:4], "little")
    header = json.loads(data[4:start])
    arrays = {
        name: np.frombuffer(data, "<" + entry["type"], entry["length"], start + entry["offset"])
        for name, entry in header["arrays"].items()
    }
    return header, arrays


_SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "mesh": 3, "hull": 3}
_SIZES["heightfield"] = 3
_ShapeKey = tuple[str, tuple[float, ...], str | None]


@dataclass(frozen=True, slots=True)
class View:
    """Initial view of a page; the user can change it there.

    Attributes:
        follow: ``"none"``, ``"base"`` (the first of the scene's tracks) or ``"com"``.
        contact_forces: whether to show the arrows of contact forces.
    """

    follow: Literal["none", "base", "com"] = "base"
    contact_forces: bool = True


def scene_payload(graph: SceneGraph, view: View) -> bytes:
    """Return everything that a page needs before the first frame.

    A mesh that cannot be read is left out, and a texture that cannot be mapped becomes its mean
    colour, both with a ``RobotWarning``.

    Raises:
        RobotError: if a node has an unknown kind, a size of the wrong length or an unknown link.
    """
    shapes, palette = _Shapes(), Palette()
    nodes = [_node(graph, node, shapes, palette) for node in told_apart(graph.nodes)]
    _check_ground(graph)
    header = {
        "title": graph.title,
        "links": graph.n_links,
        "link_names": list(graph.links),
        "contacts": graph.n_contacts,
        "weight": float(graph.weight),
        "radius": float(graph.radius),
        "tracks": [[name, int(link)] for name, link in graph.tracks],
        "grounds": [_ground(ground, shapes) for ground in graph.grounds],
        "ground_link": graph.ground_link,
        "view": {"follow": view.follow, "contact_forces": view.contact_forces},
        "shapes": shapes.entries,
        "materials": palette.entries,
        "textures": palette.textures,
        "nodes": [node for node in nodes if node],
        "inertias": np.asarray(graph.inertias).round(12).tolist(),
        "joints": [[name, int(link), *map(_rounded, twist)] for name, link, twist in graph.joints],
        "points": [[name, *map(_rounded, friction)] for name, *friction in graph.points],
        "rays": [[name, graph.links.index(link), reach] for name, link, _, reach in graph.rays],
    }
    fans = {f"rays{k}": rays.astype(np.float32) for k, (*_, rays, _) in enumerate(graph.rays)}
    return pack_payload(header, shapes.arrays | palette.arrays | fans)


@dataclass(slots=True)
class _Shapes:
    """The distinct shapes so far, and the arrays and surfaces of meshes."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    meshes: dict[int, Surface] = field(default_factory=dict)
    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    known: dict[_ShapeKey, int | None] = field(default_factory=dict)
    surfaces: int = 0

    def index(self, shape: Shape) -> int | None:
        """Return the shape's number; None if its mesh cannot be read."""
        key = (shape.kind, tuple(shape.size), shape.mesh)
        if key not in self.known:
            entry = self._mesh(shape) if shape.mesh is not None else self._primitive(shape)
            self.known[key] = len(self.entries) if entry else None
            if entry:
                self.entries.append(entry)
        return self.known[key]

    def _primitive(self, shape: Shape) -> dict[str, Any]:
        return {"kind": shape.kind, "size": [float(length) for length in shape.size]}

    def _mesh(self, shape: Shape) -> dict[str, Any] | None:
        try:
            surface = mesh_surface(shape)
        except RobotError as error:
            warnings.warn(f"{error}; left out", RobotWarning, stacklevel=2)
            return None
        self.meshes[len(self.entries)] = surface
        return self.surface(surface)

    def surface(self, surface: Surface) -> dict[str, Any]:
        """Store a surface's arrays and return its entry."""
        self.surfaces += 1
        names = {part: f"{part}{self.surfaces}" for part in ("position", "normal", "index")}
        if surface.coordinates is not None:
            names["coordinates"] = f"coordinates{self.surfaces}"
        self.arrays |= {name: getattr(surface, part) for part, name in names.items()}
        entry = {"kind": "mesh", "lower": _list(surface.lower), "step": surface.step, **names}
        return {**entry, "parts": [length for length, _ in surface.parts]}


def _ground(ground: Ground | GroundSurface, shapes: _Shapes) -> dict[str, Any]:
    """Return the entry of a plane, or of a surface with its lines."""
    if isinstance(ground, Ground):
        return {"kind": "plane", "normal": _list(ground.normal), "offset": float(ground.offset)}
    points = np.asarray(ground.points, np.float64)
    entry = shapes.surface(weld(points[ground.triangles].astype(np.float32)))
    lines = f"lines{shapes.surfaces}"
    shapes.arrays[lines] = np.ascontiguousarray(points[ground.lines], np.float32).reshape(-1)
    color = None if ground.color is None else [float(part) for part in ground.color]
    return {**entry, "kind": "surface", "lines": lines, "color": color}


def _check_ground(graph: SceneGraph) -> None:
    link = graph.ground_link
    if link is not None and not 0 <= link < graph.n_links:
        raise RobotError(f"the ground: no link {link} (links: 0 to {graph.n_links - 1})")


def _node(
    graph: SceneGraph, node: Node, shapes: _Shapes, palette: Palette
) -> dict[str, Any] | None:
    _check(graph, node)
    shape = shapes.index(node.shape)
    if shape is None:
        return None
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = node.rotation, node.translation
    return {
        "name": node.name,
        "link": int(node.link),
        "shape": shape,
        "matrix": _list(matrix.T),  # column-major, as the page's library wants it
        "materials": palette.of(node, shapes.meshes.get(shape)) if node.layer == "visual" else [],
        "layer": node.layer,
    }


def _check(graph: SceneGraph, node: Node) -> None:
    kind, size = node.shape.kind, node.shape.size
    if kind not in _SIZES:
        known = ", ".join(_SIZES)
        hint = nearest(kind, _SIZES)
        raise RobotError(f"{node.name}: no shape kind {kind!r}{hint} (kinds: {known})")
    if len(size) != _SIZES[kind]:
        raise RobotError(f"{node.name}: a {kind} has {_SIZES[kind]} sizes, not {len(size)}")
    if not 0 <= node.link < graph.n_links:
        raise RobotError(f"{node.name}: no link {node.link} (links: 0 to {graph.n_links - 1})")


def _rounded(value: float) -> float | None:
    """Return a number without rounding noise; None for NaN."""
    return round(value, 9) if math.isfinite(value) else None


def _list(array: npt.NDArray[np.float64]) -> list[float]:
    return [float(value) for value in np.asarray(array, np.float64).reshape(-1)]

"""The materials of a page: colours and small textures."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import Node
from footfall.api.plugin import RobotWarning
from footfall_meshcat.drawing.surface import Color, Surface

GREY: Color = (0.7, 0.7, 0.75, 1.0)
"""Colour of shapes without one."""
LARGEST = 1024
"""Largest number of pixels along a texture's longer side; larger ones are scaled down."""
QUALITY = 88
"""JPEG quality of textures, [%]."""


CALM = (
    (0.36, 0.52, 0.70),
    (0.80, 0.56, 0.36),
    (0.45, 0.62, 0.48),
    (0.62, 0.50, 0.68),
    (0.78, 0.67, 0.40),
    (0.40, 0.62, 0.66),
    (0.74, 0.48, 0.52),
)
"""Colours of bodies without one, red, green, blue."""
SHADES = (1.0, 0.78, 1.14, 0.9, 0.68)
"""Brightness of bodies of one colour, in this order, [-]."""


def told_apart(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes with changed colours if single-part bodies look the same.

    Bodies without a colour get muted ones; bodies of one colour get different shades of it. A robot
    that is transparent altogether, e.g. a model whose meshes are missing, becomes opaque.

    Args:
        nodes: nodes of a scene graph.
    """
    links: dict[str, set[int]] = {}
    for node in nodes:
        links.setdefault(_body(node), set()).add(node.link)
    clear = {body for body, of in links.items() if len(of) > 1}
    clear -= {_body(node) for node in nodes if node.layer == "visual" and node.color[3] > 0.0}
    nodes = [
        replace(node, color=(*node.color[:3], 1.0))
        if _body(node) in clear and node.layer == "visual"
        else node
        for node in nodes
    ]
    alike: dict[Color, dict[str, int]] = {}
    for node in nodes:
        if _is_plain(node) and len(links[_body(node)]) == 1:
            group = alike.setdefault(node.color, {})
            group.setdefault(_body(node), len(group))
    return [_told_apart(node, alike.get(node.color, {})) for node in nodes]


def _told_apart(node: Node, group: Mapping[str, int]) -> Node:
    if len(group) < 2 or _body(node) not in group or not _is_plain(node):
        return node
    number, (red, green, blue, opacity) = group[_body(node)], node.color
    if (red, green, blue) == GREY[:3]:
        return replace(node, color=(*CALM[number % len(CALM)], opacity))
    shade = SHADES[number % len(SHADES)]
    shaded = (min(shade * red, 1.0), min(shade * green, 1.0), min(shade * blue, 1.0), opacity)
    return replace(node, color=shaded)


def _body(node: Node) -> str:
    return str(node.name).partition("/")[0]


def _is_plain(node: Node) -> bool:
    return node.layer == "visual" and node.texture is None and node.shape.kind not in {"mesh"}


@dataclass(slots=True)
class Palette:
    """The distinct materials so far.

    Attributes:
        entries: colour of each, and the number of its texture, or None.
        textures: name of each texture's array.
        arrays: the textures, as JPEG files.
    """

    entries: list[dict[str, object]] = field(default_factory=list)
    textures: list[str] = field(default_factory=list)
    arrays: dict[str, npt.NDArray[np.uint8]] = field(default_factory=dict)
    _known: dict[tuple[Color, str | None], int] = field(default_factory=dict)
    _sent: dict[str, int] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def of(self, node: Node, surface: Surface | None) -> list[int]:
        """Return the number of the material of each part of a node.

        Args:
            node: the drawn node.
            surface: its surface, if it is a mesh.
        """
        if surface is None:
            return [self._number(node.color, node.texture, node.name, laid=False)]
        for fault in () if node.covers else surface.lost:
            self._tell(f"{node.shape.mesh}: {fault}")
        found = []
        for _, number in surface.parts:
            color, texture = node.color, node.texture
            if number >= 0 and not node.covers:  # as in RViz: a URDF's colour is only a default
                own, texture = surface.materials[number]
                color = own or (1.0, 1.0, 1.0, 1.0)
            laid = surface.coordinates is not None
            found.append(self._number(color, texture, node.name, laid=laid))
        return found

    def _number(self, color: Color, texture: str | None, name: str, *, laid: bool) -> int:
        """Return the number of a material; a texture that is not mapped gives its mean colour.

        One that cannot be read is left out.
        """
        image = None if texture is None else self._read(texture)
        if image is None:
            texture = None
        elif not laid:
            self._tell(f"{name}: texture {texture}: no texture coordinates: its mean colour")
            red, green, blue, opacity = color
            r, g, b = image.mean
            color, texture = (red * r, green * g, blue * b, opacity), None
        key = color, texture
        if key not in self._known:
            self._known[key] = len(self.entries)
            at = None if texture is None or image is None else self._send(texture, image)
            self.entries.append({"color": [float(part) for part in color], "texture": at})
        return self._known[key]

    def _read(self, path: str) -> Picture | None:
        try:
            return read_picture(path, os.stat(path).st_mtime_ns)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "unknown picture format"
            self._tell(f"texture {path} cannot be read: {reason}")
            return None

    def _send(self, path: str, image: Picture) -> int:
        if path not in self._sent:
            self._sent[path] = len(self.textures)
            self.textures.append(f"texture{len(self.textures)}")
            self.arrays[self.textures[-1]] = np.frombuffer(image.jpeg, np.uint8)
        return self._sent[path]

    def _tell(self, message: str) -> None:
        """Give a warning once."""
        if message not in self._told:
            self._told.add(message)
            warnings.warn(message, RobotWarning, stacklevel=2)


@dataclass(frozen=True, slots=True)
class Picture:
    """A texture.

    Attributes:
        jpeg: its file, without opacity.
        mean: mean red, green, blue, each 0 to 1.
    """

    jpeg: bytes
    mean: tuple[float, float, float]


@lru_cache(64)
def read_picture(path: str, changed: int) -> Picture:
    """Return an image of any format that Pillow reads, scaled down if it is too large.

    Args:
        path: path of the file.
        changed: time of its last change, so that a new version is read again.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is too large.
    """
    from PIL import Image

    try:
        with Image.open(Path(path)) as image:
            image.thumbnail((LARGEST, LARGEST))
            plain = image.convert("RGB")
    except Image.DecompressionBombError as error:
        raise ValueError(str(error)) from error
    pixels = np.asarray(plain, float).reshape(-1, 3) / 255.0
    red, green, blue = (float(value) for value in pixels.mean(axis=0))
    file = io.BytesIO()
    plain.save(file, "JPEG", quality=QUALITY)
    return Picture(file.getvalue(), (red, green, blue))

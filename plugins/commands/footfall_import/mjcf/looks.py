"""Materials of an MJCF: colours, and textures of meshes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.api.advanced import FileElement
from footfall_import.checks import Finding

Tint = tuple[float, float, float]
WHITE: Tint = (1.0, 1.0, 1.0)
COLORS: Mapping[str, tuple[str, ...]] = {
    "flat": ("rgb1",),
    "gradient": ("rgb1", "rgb2"),
    "checker": ("rgb1", "rgb2"),
}
"""Colours of MuJoCo's own patterns; their mean is drawn."""
USUAL = {"rgb1": (0.8, 0.8, 0.8), "rgb2": (0.5, 0.5, 0.5)}


@dataclass(frozen=True, slots=True)
class Look:
    """A material.

    Attributes:
        rgba: the file's text, empty if not given.
        tint: red, green, blue factors for ``rgba`` or a geom's own colour.
        image: texture file of a mesh, empty without one.
        told: message about a part that is drawn differently, empty without one.
    """

    rgba: str = ""
    tint: Tint = WHITE
    image: str = ""
    told: str = ""

    def painted(self, rgba: str) -> str:
        """Return the drawn colour: the geom's own colour, else the material's, times the tint."""
        given = rgba or self.rgba
        if self.tint == WHITE:
            return given
        red, green, blue, opacity = (float(part) for part in (given or "1 1 1 1").split())
        shown = (c * t for c, t in zip((red, green, blue), self.tint, strict=True))
        return " ".join(repr(part) for part in (*shown, opacity))


def read_looks(
    assets: Iterable[Element], path: Path, compiler: Mapping[str, str]
) -> dict[str, Look]:
    """Return the materials by name.

    Args:
        assets: elements of the file's ``<asset>``, with their classes written out.
        path: the file; images are relative to it.
        compiler: the compiler's settings.

    Raises:
        RobotError: if a colour is malformed.
    """
    nodes = list(assets)
    folder = path.parent / (compiler.get("texturedir") or compiler.get("assetdir") or "")
    textures = {_name(node): node for node in nodes if node.tag == "texture"}
    looks = {}
    for node in nodes:
        if node.tag != "material":
            continue
        place = FileElement(str(path), f'<material> "{node.get("name", "")}"')
        if node.get("rgba", "").strip():
            place.numbers(node, "rgba", count=4, default=None)
        layers = {
            layer.get("role", ""): layer.get("texture", "") for layer in node.findall("layer")
        }
        texture = textures.get(node.get("texture") or layers.get("rgb", ""))
        rgba = node.get("rgba", "").strip()
        repeat = place.numbers(node, "texrepeat", count=2, default=(1.0, 1.0))
        look = Look(rgba) if texture is None else _textured(rgba, texture, folder, path)
        if look.image and repeat != (1.0, 1.0):
            look = replace(look, told=f"texrepeat {repeat}: its image covers meshes once")
        looks[node.get("name", "")] = look
    return looks


def _name(texture: Element) -> str:
    return texture.get("name") or Path(texture.get("file", "")).stem


def _textured(rgba: str, texture: Element, folder: Path, path: Path) -> Look:
    if texture.get("builtin", "none") != "none" or not texture.get("file"):
        return _pattern(rgba, texture, FileElement(str(path), f'<texture> "{_name(texture)}"'))
    image = (folder / texture.get("file", "")).resolve()
    if not image.is_file():
        return Look(rgba, told=f"{image} was not found: drawn in plain colour")
    flat = texture.get("type", "cube") == "2d"
    told = "" if flat else "its cube texture covers meshes as a flat one"
    return Look(rgba, image=str(image), told=told)


def _pattern(rgba: str, texture: Element, place: FileElement) -> Look:
    """Return the look of a material with one of MuJoCo's own patterns, in its mean colour."""
    kind = texture.get("builtin", "none")
    keys = COLORS.get(kind, ())
    colors = [place.numbers(texture, key, count=3, default=USUAL[key]) for key in keys]
    if not colors:
        return Look(rgba, told=f"its texture {_name(texture)} is not drawn")
    red, green, blue = (sum(parts) / len(colors) for parts in zip(*colors, strict=True))
    marked = kind != "flat" or texture.get("mark", "none") != "none"
    told = f"its pattern ({kind}) is drawn in its mean colour" if marked else ""
    return Look(rgba, (red, green, blue), told=told)


def told_of_looks(looks: Mapping[str, Look], bodies: Iterable[Element]) -> list[Finding]:
    """Return notes about used materials that are drawn differently."""
    used = {node.get("material", "") for body in bodies for node in body.iter("geom")}
    return [
        Finding("note", f'material "{name}"', look.told)
        for name, look in looks.items()
        if look.told and name in used
    ]

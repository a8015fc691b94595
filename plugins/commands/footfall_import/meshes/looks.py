"""Materials of mesh files: libraries (MTL) of an OBJ, effects of a Collada file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse
from xml.etree.ElementTree import Element, SubElement

Color = tuple[float, float, float, float]
Material = tuple[Color | None, str | None]
"""Colour and image, as in ``MeshFile``."""
OTHER_MAPS = ("bump", "map_Bump", "map_bump", "norm", "map_Ks", "map_Ke", "map_d", "disp")
"""MTL texture maps that are not drawn: bump, specular, emission, opacity, displacement."""


@dataclass(slots=True)
class Looks:
    """Materials of a mesh file.

    Attributes:
        materials: by name.
        companions: library files that were read, and images.
        lost: messages about parts that cannot be shown.
    """

    materials: dict[str, Material] = field(default_factory=dict)
    companions: tuple[Path, ...] = ()
    lost: tuple[str, ...] = ()

    def say(self, what: str) -> None:
        """Add a message about a part that cannot be shown, unless it is already there."""
        if what not in self.lost:
            self.lost = (*self.lost, what)

    def find(self, name: str, folder: Path, what: str) -> Path | None:
        """Return a file named relative to a folder; add a message if it is missing."""
        plain = unquote(urlparse(name).path) if name.startswith("file:") else name
        for candidate in (plain, unquote(plain), plain.replace("\\", "/")):
            file = folder / candidate
            if file.is_file():
                if file not in self.companions:
                    self.companions = (*self.companions, file)
                return file
        self.say(f"{what} {name} was not found")
        return None

    def texture(self, name: str, folder: Path) -> str | None:
        """Return the file of an image."""
        file = self.find(name, folder, "texture")
        return None if file is None else str(file)


def opaque(red: float, green: float, blue: float, opacity: float) -> Color:
    """Return a colour; an invisible one is made opaque.

    Exporters disagree on whether an opacity of 0 or 1 is transparent, so 0 is not reliable.
    """
    r, g, b = (min(max(part, 0.0), 1.0) for part in (red, green, blue))
    return r, g, b, opacity if 0.0 < opacity <= 1.0 else 1.0


def read_libraries(path: Path, names: Iterable[str]) -> Looks:
    """Return the materials of an OBJ's libraries, found relative to its folder.

    Colour is ``Kd`` with ``d`` (or 1 - ``Tr``), the texture ``map_Kd``.
    """
    looks = Looks()
    for name in dict.fromkeys(names):
        file = looks.find(name, path.parent, "material library")
        if file is not None:
            _read_library(file, looks)
    return looks


def _read_library(file: Path, looks: Looks) -> None:
    given: dict[str, list[str]] = {}
    name = None
    for line in [*file.read_text(errors="replace").splitlines(), "newmtl"]:
        word, *rest = line.split() or [""]
        if word == "newmtl":
            if name is not None:
                looks.materials.setdefault(name, _of_library(given, file.parent, looks))
            name, given = " ".join(rest), {}
        elif word in OTHER_MAPS:
            looks.say(f"{word} of {file.name} is not drawn")
        else:
            given[word] = rest


def _of_library(given: dict[str, list[str]], folder: Path, looks: Looks) -> Material:
    image = given.get("map_Kd")
    file = looks.texture(" ".join(_file_name(image)), folder) if image else None
    red, green, blue = _numbers(given.get("Kd"), (1.0, 1.0, 1.0) if file else (0.8, 0.8, 0.8))
    (opacity,) = _numbers(given.get("d"), (1.0 - _numbers(given.get("Tr"), (0.0,))[0],))
    return opaque(red, green, blue, opacity), file


_OPTIONS = {"-o": 3, "-s": 3, "-t": 3, "-mm": 2, "-blendu": 1, "-blendv": 1, "-cc": 1, "-clamp": 1}
"""Options before the name of an image, with the count of numbers that each takes."""


def _file_name(words: Sequence[str]) -> Sequence[str]:
    """Return the words after the options."""
    left = list(words)
    while left and left[0] in _OPTIONS:
        left = left[1 + _OPTIONS[left[0]] :]
    return left


def _numbers(words: Sequence[str] | None, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return as many numbers as the default has; the default if the words are not numbers."""
    try:
        found = tuple(float(word) for word in (words or ())[: len(default)])
    except ValueError:
        return default
    return found if len(found) == len(default) else default


class Effects:
    """The materials of a Collada file, by their ``id``.

    The diffuse part of a material's effect is a colour or an image. The image is named through a
    sampler and a surface or, against the standard, by its own ``id``.

    Args:
        top: the file's top element.
        path: the file.
    """

    def __init__(self, top: Any, path: Path) -> None:
        self.looks, self._folder = Looks(), path.parent
        things = [*_below(top, "effect"), *_below(top, "image")]
        self._by_id = {node.get("id"): node for node in things}
        self._effect = {
            node.get("id"): node.find("{*}instance_effect").get("url", "")[1:]
            for node in _below(top, "material")
            if node.find("{*}instance_effect") is not None
        }

    def target(self, primitive: Any) -> str:
        """Return the ``id`` of a bound primitive's material, empty without one."""
        if primitive.material is not None:
            return str(primitive.material.id)
        return str(primitive.original.material or "")  # the file binds no materials

    def material(self, name: str) -> Material | None:
        """Return a material, None if the file does not define it."""
        if name not in self.looks.materials:
            effect = self._by_id.get(self._effect.get(name))
            if effect is None:
                return None
            self.looks.materials[name] = self._of(effect)
        return self.looks.materials[name]

    def _of(self, effect: Any) -> Material:
        diffuse = _first(effect, "diffuse")
        image = None if diffuse is None else diffuse.find("{*}texture")
        file = self._image(image.get("texture", ""), effect) if image is not None else None
        white, grey = (1.0, 1.0, 1.0, 1.0), (0.8, 0.8, 0.8, 1.0)
        color = None if diffuse is None else diffuse.find("{*}color")
        words = None if color is None else (color.text or "").split()
        red, green, blue, alpha = _numbers(words, white if file else grey)
        return opaque(red, green, blue, alpha * _opacity(effect)), file

    def _image(self, name: str, effect: Any) -> str | None:
        """Return the file of an image by the ``sid`` of its sampler, or by its own ``id``."""
        params = {node.get("sid"): node for node in _below(effect, "newparam")}
        for tag in ("source", "init_from"):
            inner = _first(params.get(name), tag)
            name = name if inner is None else (inner.text or "").strip()
        node = _first(self._by_id.get(name), "init_from")
        if node is None or not (node.text or "").strip():
            self.looks.say(f"texture {name} is not defined")
            return None
        return self.looks.texture(node.text.strip(), self._folder)


def without_effects(top: Element) -> Element:
    """Return the Collada file with empty effects and without bindings to missing materials.

    Otherwise the parser leaves out a whole geometry if it does not understand an effect.
    """
    space = top.tag.partition("}")[0] + "}"
    known = {f"#{node.get('id')}" for node in _below(top, "material")}
    for library in _below(top, "library_effects"):
        library[:] = [Element(node.tag, node.attrib) for node in library]
        for effect in library:
            common = SubElement(effect, f"{space}profile_COMMON")
            SubElement(SubElement(common, f"{space}technique"), f"{space}lambert")
    for holder in top.iter(f"{space}technique_common"):
        for node in holder.findall("{*}instance_material"):
            if node.get("target") not in known:
                holder.remove(node)
    return top


def _below(node: Any, tag: str) -> list[Any]:
    return list(node.findall(f".//{{*}}{tag}"))


def _first(node: Any, tag: str) -> Any:
    """Return the first element with a tag below a node, None if there is none or no node."""
    return None if node is None else node.find(f".//{{*}}{tag}")


def _opacity(effect: Any) -> float:
    """Return the opacity: ``transparency`` times the alpha of ``transparent`` (``A_ONE``).

    For ``RGB_ZERO`` it is 1 minus ``transparency`` times the mean of red, green and blue.
    """
    shown = _first(effect, "transparency")
    number = None if shown is None else shown.find("{*}float")
    (factor,) = _numbers(None if number is None else (number.text or "").split(), (1.0,))
    node = _first(effect, "transparent")
    color = None if node is None else node.find("{*}color")
    words = None if color is None else (color.text or "").split()
    if node is not None and node.get("opaque") == "RGB_ZERO":
        red, green, blue, _ = _numbers(words, (0.0, 0.0, 0.0, 1.0))
        return 1.0 - factor * (red + green + blue) / 3.0
    return factor * _numbers(words, (1.0, 1.0, 1.0, 1.0))[3]

"""Expansion of ``<replicate>`` and ``<attach>``, with MuJoCo's names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import deepcopy
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from footfall.api.advanced import FileElement
from footfall_import.mjcf.values import place_of

REFERENCES = frozenset(
    (
        *("joint", "jointinparent", "joint1", "joint2", "body", "body1", "body2", "geom", "geom1"),
        *("geom2", "site", "site1", "site2", "tendon", "tendon1", "tendon2", "mesh", "material"),
        *("texture", "hfield", "objname", "refname", "actuator", "target", "cranksite"),
        *("slidersite", "refsite"),
    )
)
"""Attributes that name another element."""
SECTIONS = ("contact", "equality", "tendon", "actuator", "sensor")
"""Sections whose elements are copied with what they name, in this order."""
ALIKE = (
    *("angle", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange", "boundmass"),
    *("boundinertia", "balanceinertia", "settotalmass", "coordinate"),
)
"""Settings of the compiler that a file and a model attached to it must have in common."""
BARE = " attached"
"""Class without attributes, of elements whose defaults are written out."""
Read = Callable[[Path], Element]


def expand_copies(top: Element, path: Path, read: Read) -> None:
    """Replace each ``<replicate>`` and ``<attach>`` by the elements that it stands for.

    Args:
        top: the file's top element; changed in place.
        path: the file.
        read: reads another MJCF, with its copies expanded and its default classes written out.

    Raises:
        RobotError: if an attached model cannot be read, or its compiler settings differ.
    """
    for world in top.findall("worldbody"):
        _expand_below(world, top, path, read)


def _expand_below(parent: Element, top: Element, path: Path, read: Read) -> None:
    for child in parent:
        _expand_below(child, top, path, read)
    for i, node in reversed(list(enumerate(parent))):
        if node.tag == "replicate":
            parent[i : i + 1] = _replicated(node, top, place_of(node, path))
        elif node.tag == "attach":
            parent[i : i + 1] = _attached(node, top, path, read)


def _replicated(node: Element, top: Element, place: FileElement) -> list[Element]:
    """Return the copies: each one after the first in a frame within that of the one before."""
    count = round(place.number(node, "count", default=None))
    step = {key: value for key, value in node.attrib.items() if key == "euler"}
    step["pos"] = node.get("offset", "0 0 0")
    sep = node.get("sep", "")
    ends = [f"{sep}{k:0{len(str(count - 1))}}" for k in range(count)]
    names = {each.get("name", "") for child in node for each in child.iter()} - {""}
    for section in (each for tag in SECTIONS for each in top.findall(tag)):
        for i, element in reversed(list(enumerate(section))):
            if any(_named(each) & names for each in element.iter()):
                names |= {element.get("name", "")} - {""}
                section[i : i + 1] = [_renamed(element, names, "", end) for end in ends]
    inner: list[Element] = []
    for end in reversed(ends):
        copy = [_renamed(child, names, "", end) for child in node]
        frame = Element("frame", step)
        frame.extend(inner)
        inner = [*copy, frame] if inner else copy
    return inner


def _attached(node: Element, top: Element, path: Path, read: Read) -> list[Element]:
    """Return the body or world of another model; add its assets, actuators and the like."""
    place = place_of(node, path)
    wanted, body, prefix = node.get("model", ""), node.get("body"), node.get("prefix", "")
    files = {
        each.get("name") or Path(each.get("file", "")).stem: each.get("file", "")
        for each in top.findall("asset/model")
    }
    if node.get("frame"):
        raise place.error("a frame cannot be attached: name a body of the model")
    if wanted not in files:
        raise place.error(f'there is no <model name="{wanted}"> in <asset>')
    file = path.parent / files[wanted]
    if file.resolve() == path.resolve():
        raise place.error(f"{file} attaches itself")
    model = read(file)
    mine, its = ({k: v for n in t.findall("compiler") for k, v in n.items()} for t in (top, model))
    for key in ALIKE:
        if mine.get(key) != its.get(key):
            words = f"{mine.get(key, 'not given')} here, {its.get(key, 'not given')} in {file.name}"
            raise place.error(f"compiler: {key} must be the same in both files: {words}")
    _make_absolute(model, file, its)
    names = {each.get("name", "") for each in model.iter()} - {""}
    roots = [child for world in model.findall("worldbody") for child in world]
    if body is not None:
        found = (each for root in roots for each in root.iter("body"))
        roots = [each for each in found if each.get("name") == body]
    if not roots:
        raise place.error(f'{file} has no body "{body}"')
    inside = {each.get("name", "") for root in roots for each in root.iter()} - {""}
    for tag in ("asset", *SECTIONS):
        for element in (each for section in model.findall(tag) for each in section):
            if tag == "asset" or set().union(*map(_named, element.iter())) <= inside:
                inside |= {element.get("name", "")}
                section = top.find(tag)
                section = SubElement(top, tag) if section is None else section
                section.append(_renamed(element, names, prefix, "", bare=True))
    return [_renamed(root, names, prefix, "", bare=True) for root in roots]


def _make_absolute(model: Element, file: Path, compiler: dict[str, str]) -> None:
    """Name the files of a model's assets by their full paths, and assets by their names."""
    for asset in (each for section in model.findall("asset") for each in section):
        if asset.get("file"):
            key = "texturedir" if asset.tag == "texture" else "meshdir"
            folder = compiler.get(key) or compiler.get("assetdir") or ""
            asset.set("name", asset.get("name") or Path(asset.get("file", "")).stem)
            asset.set("file", str((file.parent / folder / asset.get("file", "")).resolve()))


def _named(node: Element) -> set[str]:
    return {value for key, value in node.attrib.items() if key in REFERENCES}


def _renamed(
    node: Element, names: Collection[str], before: str, after: str, *, bare: bool = False
) -> Element:
    """Return a copy whose own names, and references to some names, have a prefix and a suffix."""
    copy = deepcopy(node)
    for each in copy.iter():
        for key, value in each.attrib.items():
            if (key == "name" and value) or (key in REFERENCES and value in names):
                each.set(key, f"{before}{value}{after}")
        if bare:
            each.set("class", BARE)
    return copy

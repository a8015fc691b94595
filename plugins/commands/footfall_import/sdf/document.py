"""The text of an SDF: its includes and mesh files, read from its folder and packages only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import count
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from footfall.api.advanced import find_mesh
from footfall.api.command import read_xml
from footfall.api.engine import Pose
from footfall.api.plugin import RobotError
from footfall_import.checks import Finding
from footfall_import.sdf.frames import Frames

FILE = "file"
"""Attribute of a mesh's ``<uri>`` with the path of the file, set here."""
OLD = ("1.0", "1.2", "1.3", "1.4")
"""Versions of SDF in which axes of joints are in the model's frame."""
DEEPEST = 8
"""Greatest depth of models that include others."""


Read = dict[Path, tuple[Element, list[Finding]]]
"""Included files as they were read, by path: worlds include one model many times."""


def read_document(
    top: Element, path: Path, depth: int = 0, known: Read | None = None
) -> list[Finding]:
    """Replace an SDF's includes by their models and find its meshes; return what is missing.

    Args:
        top: its element; changed in place.
        path: the file.
        depth: number of files that include this one.
        known: files that were read before.

    Raises:
        RobotError: if an included file is malformed, or files include each other.
    """
    found: list[Finding] = []
    known = {} if known is None else known
    if top.get("version", "2").strip() in OLD:
        for axis in (*top.iter("axis"), *top.iter("axis2")):
            SubElement(axis, "use_parent_model_frame").text = "1"
    holders = [node for node in top.iter() if node.tag != "include"]
    for uri in (uri for holder in holders for uri in holder.findall("uri")):
        file = _file((uri.text or "").strip(), path)
        uri.attrib.pop(FILE, None)
        if file is not None:
            uri.set(FILE, str(file))
    for holder in [node for node in top.iter() if node.find("include") is not None]:
        for include in holder.findall("include"):
            at = list(holder).index(include)
            holder.remove(include)
            named = (include.findtext("uri") or "").strip()
            file = _included(named, path)
            if file is None:
                text = "is not in the model's folder or a package: left out (see --package-path)"
                found.append(Finding("warning", f"<include> {named}", text, lost=True))
                continue
            if include.get("merge") in ("true", "1"):
                text = "is a nested model here: merge is not honoured"
                found.append(Finding("warning", f"<include> {named}", text, lost=True))
            if depth == DEEPEST:
                raise RobotError(f"{path}: <include> {named}: files include each other too deeply")
            if file not in known:
                other = read_xml(file)
                known[file] = other, read_document(other, file, depth + 1, known)
            found += known[file][1]
            for model in deepcopy(known[file][0].findall("model")[:1]):
                _override(model, include)
                holder.insert(at, model)
    for world in top.findall("world"):
        found += _named_apart(world.findall("model"))
    return found


def _named_apart(models: Sequence[Element]) -> list[Finding]:
    """Give each model of a world a name of its own, as Gazebo does; return what was changed."""
    found: list[Finding] = []
    taken = {model.get("name", "") for model in models}
    for k, model in enumerate(models):
        name = model.get("name", "")
        if name in [other.get("name", "") for other in models[:k]]:
            free = next(f"{name}_{n}" for n in count(2) if f"{name}_{n}" not in taken)
            model.set("name", free)
            taken.add(free)
            text = f'its name is taken: called "{free}"'
            found.append(Finding("warning", f'<model> "{name}"', text))
    return found


def models_of(top: Element, path: Path) -> Iterator[tuple[Element, Pose]]:
    """Yield the models of an SDF, those of its worlds and its own, and their poses in the world."""
    for holder in (*top.findall("world"), top):
        frames = Frames(holder, str(path))
        for model in holder.findall("model"):
            yield model, frames.pose(model.get("name", ""))


def _override(model: Element, include: Element) -> None:
    """Set what an ``<include>`` gives instead of the model's own."""
    if (include.findtext("name") or "").strip():
        model.set("name", (include.findtext("name") or "").strip())
    if (include.findtext("placement_frame") or "").strip():
        model.set("placement_frame", (include.findtext("placement_frame") or "").strip())
    for tag in ("pose", "static"):
        given = include.find(tag)
        if given is not None:
            for old in model.findall(tag):
                model.remove(old)
            model.append(given)


def _file(uri: str, path: Path) -> Path | None:
    """Return the file of an address, None if there is none that may be read.

    That is a file in the SDF's folder or below, or in a package of ``model://`` or ``package://``.
    """
    if uri.startswith(("model://", "package://")):
        return find_mesh(uri, path)
    try:
        file = (path.parent / uri).resolve()
        return file if file.is_relative_to(path.parent.resolve()) and file.is_file() else None
    except OSError:  # e.g. a name that is too long
        return None


def _included(uri: str, path: Path) -> Path | None:
    """Return the SDF of an included model: the file, or that which its folder's config names."""
    config = _file(f"{uri}/model.config", path)
    if config is not None:
        named = [(node.text or "").strip() for node in read_xml(config).findall("sdf")]
        return _file(named[-1], config) if named else None
    file = _file(f"{uri}/model.sdf", path) or _file(uri, path)
    return file if file is not None and file.suffix.lower() == ".sdf" else None

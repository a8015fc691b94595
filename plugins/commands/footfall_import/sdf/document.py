"""The text of an SDF: its includes and mesh files, read from its folder and packages only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.api.advanced import find_mesh
from footfall.api.command import read_xml
from footfall.api.plugin import RobotError
from footfall_import.checks import Finding

FILE = "file"
"""Attribute of a mesh's ``<uri>`` with the path of the file, set here."""
DEEPEST = 8
"""Greatest depth of models that include others."""


def read_document(top: Element, path: Path, depth: int = 0) -> list[Finding]:
    """Replace an SDF's includes by their models and find its meshes; return what is missing.

    Args:
        top: its element; changed in place.
        path: the file.
        depth: number of files that include this one.

    Raises:
        RobotError: if an included file is malformed, or files include each other.
    """
    found: list[Finding] = []
    for uri in top.iter("uri"):
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
            if depth == DEEPEST:
                raise RobotError(f"{path}: <include> {named}: files include each other too deeply")
            other = read_xml(file)
            found += read_document(other, file, depth + 1)
            for model in other.findall("model")[:1]:
                _override(model, include)
                holder.insert(at, model)
    return found


def models_of(top: Element) -> Iterator[Element]:
    """Yield the models of an SDF: those of its worlds and its own."""
    for holder in (*top.findall("world"), top):
        yield from holder.findall("model")


def _override(model: Element, include: Element) -> None:
    """Set what an ``<include>`` gives instead of the model's own."""
    if (include.findtext("name") or "").strip():
        model.set("name", (include.findtext("name") or "").strip())
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

"""Copy a model file of the user's, with its meshes, so that the folder is whole by itself."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from xml.sax.saxutils import quoteattr

from footfall.formats.mesh_paths import SCHEMES, find_mesh, installed_folders
from footfall_import.proposal import Proposal

MODEL, MESHES = "model.urdf", "meshes"
_FILENAME = re.compile(r"""(<mesh\b[^>]*?\bfilename\s*=\s*)("[^"]*"|'[^']*')""")


def copied_model(proposal: Proposal, folder: Path) -> str | None:
    """Copy the model into a folder and return its name there, None if a package holds it.

    Meshes that any machine with the same packages finds are left where they are.
    """
    converted = proposal.model.text
    if proposal.located.package and converted is None:
        return None
    urdf = proposal.model.urdf.path
    text = converted if converted is not None else urdf.read_text(encoding="utf-8")
    names = _copy_meshes(text, urdf, folder)
    (folder / MODEL).write_text(_renamed(text, names), encoding="utf-8")
    return MODEL


def _copy_meshes(text: str, urdf: Path, folder: Path) -> dict[str, str]:
    """Copy the meshes that a URDF's text names; return the new name of each URI."""
    names: dict[str, str] = {}
    sources: dict[str, Path] = {}
    for match in _FILENAME.finditer(text):
        uri = unescape(match[2][1:-1])
        path = find_mesh(uri, urdf)
        if uri in names or path is None:
            continue
        place = _installed(path)
        if place is not None:
            names[uri] = place
            continue
        names[uri] = _free_name(path, sources)
        sources[names[uri]] = path
    for name, path in sources.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(path, folder / name)
    return names


def _installed(path: Path) -> str | None:
    """Return the URI by which a mesh of an installed package is found on any machine."""
    for folder in installed_folders():
        if path.resolve().is_relative_to(folder.resolve()):
            return SCHEMES[0] + path.resolve().relative_to(folder.resolve()).as_posix()
    return None


def _free_name(path: Path, taken: Mapping[str, Path]) -> str:
    """Return a name in the folder of meshes; the same file has one name."""
    stem, n = path.stem, 1
    while True:
        name = f"{MESHES}/{stem}{path.suffix}"
        if name not in taken or taken[name].resolve() == path.resolve():
            return name
        n += 1
        stem = f"{path.stem}_{n}"


def _renamed(text: str, names: Mapping[str, str]) -> str:
    def rename(match: re.Match[str]) -> str:
        uri = unescape(match[2][1:-1])
        return match[1] + quoteattr(names[uri]) if uri in names else match[0]

    return _FILENAME.sub(rename, text)

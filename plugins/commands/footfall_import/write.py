"""Writer of a proposed robot's folder: robot.toml, a scene, and a copy of the user's model."""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
import warnings
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from xml.sax.saxutils import quoteattr

from footfall import load_robot, load_scene
from footfall.api.advanced import MeshFile, find_mesh, unfinished_folder
from footfall.api.command import write_whole
from footfall.api.plugin import RobotError, RobotWarning
from footfall_import.proposal import Proposal
from footfall_import.robot_text import comment, gait_text, robot_text, roll_text, scene_text
from footfall_import.scene_objects import objects_text, rules_text, write_objects

SPEC = "robot.toml"
"""Name of the robot file in a robot's folder."""
MODEL, MESHES = "model.urdf", "meshes"
_FILENAME = re.compile(r"""(<(?:mesh|texture)\b[^>]*?\bfilename\s*=\s*)("[^"]*"|'[^']*')""")
_LIBRARY = re.compile(r"(?m)^\s*mtllib\b.*$")


def copied_model(proposal: Proposal, folder: Path) -> str | None:
    """Copy the model into a folder and return its name there, None if a package holds it.

    Meshes of installed packages are not copied. For a URDF, materials of mesh files are copied as
    well; for an MJCF, which has its own materials, they are left out.
    """
    converted = proposal.model.text
    if proposal.located.package and converted is None:
        return None
    urdf = proposal.model.urdf.path
    text = converted if converted is not None else urdf.read_text(encoding="utf-8")
    names = _copy_meshes(text, urdf, folder, looks=not proposal.model.converted)
    (folder / MODEL).write_text(_renamed(text, names), encoding="utf-8")
    return MODEL


def _copy_meshes(text: str, urdf: Path, folder: Path, *, looks: bool) -> dict[str, str]:
    """Copy the meshes and images named in a URDF's text; return the new name of each URI."""
    names: dict[str, str] = {}
    sources: dict[str, Path] = {}
    roots: dict[Path, str] = {}
    for match in _FILENAME.finditer(text):
        uri = unescape(match[2][1:-1])
        path = find_mesh(uri, urdf)
        if uri in names or path is None:
            continue
        place = _package_uri(path)
        if place is not None and (looks or path.suffix.lower() != ".obj"):
            names[uri] = place
            continue
        path = Path(os.path.normpath(path))
        others = _companions(path) if looks else ()
        if others:
            root = Path(os.path.commonpath([path.parent, *(other.parent for other in others)]))
            below = roots.setdefault(root, f"{MESHES}/{len(roots) + 1}")
            sources |= {f"{below}/{other.relative_to(root)}": other for other in others}
            names[uri] = f"{below}/{path.relative_to(root)}"
        else:
            names[uri] = _free_name(path, sources)
        sources[names[uri]] = path
    for name, path in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not looks and path.suffix.lower() == ".obj":
            bare = _LIBRARY.sub("", path.read_text(encoding="utf-8", errors="replace"))
            (folder / name).write_text(bare, encoding="utf-8")
        else:
            shutil.copyfile(path, folder / name)
    return names


def _companions(path: Path) -> tuple[Path, ...]:
    """Return the material libraries and images of a mesh; they refer to each other by path."""
    if path.suffix.lower() not in (".obj", ".dae", ".gltf"):
        return ()
    try:
        mesh = MeshFile.read(path)
    except RobotError:  # reported where it is drawn
        return ()
    return tuple(Path(os.path.normpath(other)) for other in mesh.companions)


def _package_uri(path: Path) -> str | None:
    """Return the ``package://`` URI of a file in an installed package, None for other files.

    ``find_mesh`` finds it on any machine: it searches the same folders.
    """
    site = Path(sysconfig.get_paths()["purelib"])
    for folder in (Path(sys.prefix) / "share", site / "cmeel.prefix" / "share", site):
        if path.resolve().is_relative_to(folder.resolve()):
            return f"package://{path.resolve().relative_to(folder.resolve()).as_posix()}"
    return None


def _free_name(path: Path, taken: Mapping[str, Path]) -> str:
    """Return a free name in the folder of meshes, or the file's existing name."""
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


SCENES, SCENE, FALLEN = "scenes", "standing.toml", "untenable.toml"
"""Folder of scenes; name of a scene that has not failed; name of one in which the robot moves."""
ROLLING = "rolling.toml"
"""Name of the scene of a robot on wheels."""


def write_robot(proposal: Proposal, folder: Path, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write a robot's folder and return its files.

    A model of an installed package is referenced, not copied. The user's own file is copied with
    its meshes, except those of installed packages. Footfall writes the folder only after all files
    are made and checked.

    Args:
        proposal: the robot.
        folder: folder to write; created if missing.
        overwrite: True to replace files of an earlier import.

    Raises:
        RobotError: if the folder exists and ``overwrite`` is False, or it cannot be written.
        SceneError: if the proposed robot file or scene is invalid.
    """
    refuse_folder(folder, overwrite=overwrite)
    with unfinished_folder() as made:
        draft = made / "robot"
        draft.mkdir()
        _write_model(proposal, draft)
        for companion in proposal.companions:
            _write_model(companion, draft / companion.name)
        (draft / SCENES).mkdir()
        relief = proposal.model.relief
        write_objects((*proposal.model.objects, *((relief,) if relief else ())), draft)
        scenery = [*objects_text(proposal.model.objects), *rules_text(proposal)]
        scene = scene_text(proposal, scenery)
        (draft / SCENES / SCENE).write_text(scene, encoding="utf-8")
        if proposal.walk is not None:
            gait = draft / SCENES / f"{proposal.walk.kind}.toml"
            gait.write_text(gait_text(proposal, proposal.walk), encoding="utf-8")
        if proposal.roll is not None:
            text = roll_text(proposal, proposal.roll)
            (draft / SCENES / ROLLING).write_text(text, encoding="utf-8")
        _try(draft)
        written = sorted(path.relative_to(draft) for path in draft.rglob("*") if path.is_file())
        with RobotError.of_file(folder):
            _put(draft, folder)
    return tuple(folder / path for path in written)


def _write_model(proposal: Proposal, folder: Path) -> None:
    """Write a robot file with its model and meshes."""
    folder.mkdir(exist_ok=True)
    file = copied_model(proposal, folder) or proposal.located.place
    (folder / SPEC).write_text(robot_text(proposal, file), encoding="utf-8")


def rename_scene(folder: Path, verdict: str) -> None:
    """Rename the scene of a robot that does not stay in place, and add the reason as a comment.

    A scene of this name from an earlier import is replaced.
    """
    standing, fallen = folder / SCENES / SCENE, folder / SCENES / FALLEN
    said = " ".join(f"As proposed it {verdict}.".split())
    write_whole(fallen, "\n".join([comment(said), standing.read_text(encoding="utf-8")]))
    standing.unlink()


def _put(draft: Path, folder: Path) -> None:
    """Move the draft to its folder; a new folder appears complete or not at all.

    In an existing folder each file is replaced atomically, robot.toml last.
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(folder.parent) as new:
            shutil.copytree(draft, new / folder.name).rename(folder)
        return
    files = [path for path in draft.rglob("*") if path.is_file()]
    for path in sorted(files, key=lambda path: path == draft / SPEC):
        place = folder / path.relative_to(draft)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, path.read_bytes())


def _try(draft: Path) -> None:
    """Read the draft to check it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)  # already in the report
        load_robot(str(draft))
    for scene in sorted((draft / SCENES).iterdir()):
        load_scene(scene)


def refuse_folder(folder: Path, *, overwrite: bool) -> None:
    """Check that a folder is new, empty or an earlier import that may be replaced.

    Raises:
        RobotError: if the folder may not be written.
    """
    if folder.exists() and not folder.is_dir():
        raise RobotError(f"{folder} is a file: choose another --output")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not overwrite:
        raise RobotError(f"{folder} exists: choose another --output or add --overwrite")
    if not (folder / SPEC).is_file():
        raise RobotError(f"{folder} holds no {SPEC}, so it is not a robot: choose another --output")

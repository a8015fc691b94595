"""The folder of a proposed robot: robot.toml, a scene, and a copy of the user's model."""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from xml.sax.saxutils import quoteattr

from footfall import load_robot, load_scene
from footfall.api.command import write_whole
from footfall.api.errors import RobotError, RobotWarning
from footfall.api.formats import find_mesh
from footfall.api.geometry import MeshFile
from footfall_import.proposal import Proposal
from footfall_import.robot_text import comment, gait_text, robot_text, scene_text

SPEC = "robot.toml"
"""Name of the file that makes a folder a robot."""
MODEL, MESHES = "model.urdf", "meshes"
_FILENAME = re.compile(r"""(<(?:mesh|texture)\b[^>]*?\bfilename\s*=\s*)("[^"]*"|'[^']*')""")
_LIBRARY = re.compile(r"(?m)^\s*mtllib\b.*$")


def copied_model(proposal: Proposal, folder: Path) -> str | None:
    """Copy the model into a folder and return its name there, None if a package holds it.

    Meshes that any machine with the same packages finds are left where they are. Materials that
    mesh files of a URDF have go with them; of an MJCF, which has its own, they are left out.
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
    """Copy the meshes and images that a URDF's text names; return the new name of each URI."""
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
    """Return the libraries and images of a mesh, which name each other by their places."""
    if path.suffix.lower() not in (".obj", ".dae"):
        return ()
    try:
        mesh = MeshFile.read(path)
    except RobotError:  # told where it is drawn
        return ()
    return tuple(Path(os.path.normpath(other)) for other in mesh.companions)


def _package_uri(path: Path) -> str | None:
    """Return the URI by which a file that pip has installed is found on any machine, or None.

    ``find_mesh`` looks for it in these folders.
    """
    site = Path(sysconfig.get_paths()["purelib"])
    for folder in (Path(sys.prefix) / "share", site / "cmeel.prefix" / "share", site):
        if path.resolve().is_relative_to(folder.resolve()):
            return f"package://{path.resolve().relative_to(folder.resolve()).as_posix()}"
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


SCENES, SCENE, FALLEN = "scenes", "standing.toml", "untenable.toml"
"""Of a scene that has not been seen to fail, and of one in which the robot does not stay."""


def write_robot(proposal: Proposal, folder: Path, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write a robot's folder and return its files.

    A model of an installed package is named, not copied; a file of the user's is copied with those
    of its meshes that are in no installed package. Everything is made before anything is written.

    Args:
        proposal: the robot.
        folder: to write; made if it is not there.
        overwrite: whether files of an earlier import are replaced.

    Raises:
        RobotError: if the folder is there and is not to be overwritten, or cannot be written.
        SceneError: if what is proposed is no robot file or scene.
    """
    refuse_folder(folder, overwrite=overwrite)
    with tempfile.TemporaryDirectory() as made:
        draft = Path(made)
        _write_model(proposal, draft)
        for companion in proposal.companions:
            _write_model(companion, draft / companion.name)
        (draft / SCENES).mkdir()
        (draft / SCENES / SCENE).write_text(scene_text(proposal), encoding="utf-8")
        if proposal.walk is not None:
            gait = draft / SCENES / f"{proposal.walk.kind}.toml"
            gait.write_text(gait_text(proposal, proposal.walk), encoding="utf-8")
        _try(draft)
        written = sorted(path.relative_to(draft) for path in draft.rglob("*") if path.is_file())
        try:
            _put(draft, folder)
        except OSError as error:
            raise RobotError(f"{folder} cannot be written: {error.strerror or error}") from error
    return tuple(folder / path for path in written)


def _write_model(proposal: Proposal, folder: Path) -> None:
    """Write a robot file, and the model and meshes beside it."""
    folder.mkdir(exist_ok=True)
    file = copied_model(proposal, folder) or proposal.located.place
    (folder / SPEC).write_text(robot_text(proposal, file), encoding="utf-8")


def rename_scene(folder: Path, verdict: str) -> None:
    """Give a scene in which the robot does not stay another name, and say there why.

    A scene of that other name, of an earlier import, is replaced.
    """
    standing, fallen = folder / SCENES / SCENE, folder / SCENES / FALLEN
    said = " ".join(f"As proposed it {verdict}.".split())
    write_whole(fallen, "\n".join([comment(said), standing.read_text(encoding="utf-8")]))
    standing.unlink()


def _put(draft: Path, folder: Path) -> None:
    """Bring what was made to its place: a new folder appears whole.

    Of one that is there each file is replaced whole, robot.toml last.
    """
    if not folder.exists():
        new = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(new, ignore_errors=True)  # of an import that was killed
        try:
            shutil.copytree(draft, new)
            new.rename(folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return
    files = [path for path in draft.rglob("*") if path.is_file()]
    for path in sorted(files, key=lambda path: path == draft / SPEC):
        place = folder / path.relative_to(draft)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, path.read_bytes())


def _try(draft: Path) -> None:
    """Read what is about to be written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)  # the report has them
        load_robot(str(draft))
    for scene in sorted((draft / SCENES).iterdir()):
        load_scene(scene)


def refuse_folder(folder: Path, *, overwrite: bool) -> None:
    """Refuse to write into something that is not an earlier import's folder.

    Raises:
        RobotError: if the folder is there and is not to be overwritten.
    """
    if folder.exists() and not folder.is_dir():
        raise RobotError(f"{folder} is a file: choose another --output")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not overwrite:
        raise RobotError(f"{folder} exists: choose another --output or add --overwrite")
    if not (folder / SPEC).is_file():
        raise RobotError(f"{folder} holds no {SPEC}, so it is no robot: choose another --output")

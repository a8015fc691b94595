"""List the robot models that an installed package holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath

URDF, XML, XACRO = ".urdf", (".xml", ".mjcf"), ".xacro"
GENERIC = ("model", "robot", "scene", "urdf", "main")
"""Names of files that say nothing about the robot; their folder's name is taken."""
HEAD = 4096
"""Bytes in which the top element of an MJCF must begin."""


def is_model(path: Path) -> bool:
    """Whether a file is a URDF by its name, or an MJCF by its name and beginning."""
    suffix = path.suffix.lower()
    if suffix == URDF:
        return True
    if suffix not in XML:
        return False
    try:
        with path.open("rb") as file:
            return b"<mujoco" in file.read(HEAD)
    except OSError:
        return False


def models_of_package(package: Distribution) -> dict[str, tuple[Path, str]]:
    """Return a package's models by a short name: the path, and where it is in the package.

    The place is counted from the folder ``share`` if the file is in one, else from the folder that
    packages are installed into, so that it is the same on every machine.
    """
    found: dict[PurePosixPath, Path] = {}
    for file in package.files or ():
        if not str(file).lower().endswith((URDF, *XML)):
            continue
        path = Path(str(package.locate_file(file))).resolve()
        if path.is_file() and is_model(path):
            found[_place(PurePosixPath(*file.parts))] = path
    names = short_names(found)
    return {names[place]: (found[place], str(place)) for place in sorted(found)}


def models_of_folder(folder: Path) -> dict[str, Path]:
    """Return the models in and below a folder by a short name."""
    found = {
        PurePosixPath(path.relative_to(folder).as_posix()): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and is_model(path)
    }
    names = short_names(found)
    return {names[place]: path for place, path in found.items()}


def short_names(places: Iterable[PurePosixPath]) -> Mapping[PurePosixPath, str]:
    """Return a name for each file: its own, that of its folder where it says nothing.

    Files that would have the same name get that of the robot's folder before it.
    """
    listed = list(places)
    plain = {place: _stem(place) for place in listed}
    count = Counter(plain.values())
    names = {p: f"{_robot_folder(p)}/{n}" if count[n] > 1 else n for p, n in plain.items()}
    again = Counter(names.values())
    return {p: str(p.with_suffix("")) if again[n] > 1 else n for p, n in names.items()}


def _place(file: PurePosixPath) -> PurePosixPath:
    parts = [part for part in file.parts if part not in ("..", "/")]
    start = parts.index("share") + 1 if "share" in parts else 0
    return PurePosixPath(*parts[start:])


def _stem(place: PurePosixPath) -> str:
    generic = place.stem.lower() in GENERIC and len(place.parts) > 1
    return place.parent.name if generic else place.stem


def _robot_folder(place: PurePosixPath) -> str:
    """Return the name of the folder above ``urdf/``, ``robots/`` or the file itself."""
    folders = [part for part in place.parts[:-1] if part not in ("urdf", "robots", "mjcf", "xml")]
    return folders[-1] if folders else place.parent.name

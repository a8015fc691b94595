"""Search for the model that the user names: a file, a folder, or a model of a package."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path, PurePosixPath
from typing import TypeVar

from footfall.api.plugin import RobotError, nearest

URDF, XML, XACRO, SDF = ".urdf", (".xml", ".mjcf"), ".xacro", (".sdf", ".world")
USD = (".usd", ".usda", ".usdc", ".usdz")
CONVERT = "convert it to a URDF or MJCF first, e.g. by Isaac Sim's USD to URDF exporter"
"""What to do with a USD file."""
GENERIC = ("model", "robot", "scene", "urdf", "main")
"""File names that do not name the robot; the folder's name is used instead."""
HEAD = 4096
"""Bytes in which the top element of an MJCF must begin."""


def is_model(path: Path) -> bool:
    """Return whether a file is a URDF or SDF, by its suffix, or an MJCF, also by its beginning."""
    suffix = path.suffix.lower()
    if not path.is_file():
        return False
    if suffix in (URDF, *SDF):
        return True
    if suffix not in XML:
        return False
    try:
        with path.open("rb") as file:
            return b"<mujoco" in file.read(HEAD)
    except OSError:
        return False


def models_of_package(package: Distribution) -> dict[str, tuple[Path, str]]:
    """Return the path, and the place in the package, of a package's models by short name.

    The place is relative to the folder ``share`` if the file is in one, else to the folder with
    the installed packages. So it is the same on every machine.
    """
    found: dict[PurePosixPath, Path] = {}
    for file in package.files or ():
        if not str(file).lower().endswith((URDF, *SDF, *XML)):
            continue
        path = Path(str(package.locate_file(file))).resolve()
        if path.is_file() and is_model(path):
            found[_place(PurePosixPath(*file.parts))] = path
    found = _without_twins(found)
    names = short_names(found)
    return {names[place]: (found[place], str(place)) for place in sorted(found)}


def models_of_folder(folder: Path) -> dict[str, Path]:
    """Return the models in and below a folder by short name."""
    found = {
        PurePosixPath(path.relative_to(folder).as_posix()): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and is_model(path)
    }
    found = _without_twins(found)
    names = short_names(found)
    return {names[place]: path for place, path in found.items()}


def _without_twins(found: Mapping[PurePosixPath, Path]) -> dict[PurePosixPath, Path]:
    """Return files without the SDFs that have the name of a URDF or MJCF."""
    others = {_stem(place) for place in found if place.suffix.lower() not in SDF}
    return {p: f for p, f in found.items() if p.suffix.lower() not in SDF or _stem(p) not in others}


def short_names(places: Iterable[PurePosixPath]) -> Mapping[PurePosixPath, str]:
    """Return a name for each file: its own, or its folder's if its own is generic.

    Files with equal names get the name of the robot's folder as a prefix.
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


V = TypeVar("V")
SHOWN = 12
"""Number of models that an error lists."""


@dataclass(frozen=True, slots=True)
class Located:
    """A model file that was found.

    Attributes:
        path: the file.
        name: short name of the robot.
        package: distribution that holds it, None for the user's own file.
        place: path in the package; empty without one.
    """

    path: Path
    name: str
    package: str | None = None
    place: str = ""


def locate(reference: str) -> Located:
    """Return the model that a reference names.

    Args:
        reference: one of: path of a URDF or MJCF file; path of a folder with one;
            ``package:model``; ``package`` if it holds one model.

    Raises:
        RobotError: if there is none (suggests the nearest) or several (lists them).
    """
    path = Path(os.path.expanduser(reference))
    if path.is_dir():
        return _in_folder(path, reference)
    if path.is_file():
        return _file(path)
    looks_like_path = "/" in reference.partition(":")[0] or path.suffix.lower() in (
        *XML,
        URDF,
        XACRO,
        *SDF,
        *USD,
    )
    if looks_like_path and ":" not in reference:
        raise RobotError(f"{reference}: no such file{_beside(path)}")
    package, _, model = reference.partition(":")
    return _in_package(package, model)


@contextmanager
def searched(folders: Collection[Path]) -> Iterator[None]:
    """Search packages in folders too, before those of ``ROS_PACKAGE_PATH``, within the context.

    Raises:
        RobotError: if one is no folder.
    """
    for folder in folders:
        if not folder.is_dir():
            raise RobotError(f"--package-path {folder}: no such folder")
    before = os.environ.get("ROS_PACKAGE_PATH")
    os.environ["ROS_PACKAGE_PATH"] = os.pathsep.join([*map(str, folders), before or ""])
    try:
        yield
    finally:
        del os.environ["ROS_PACKAGE_PATH"]
        if before is not None:
            os.environ["ROS_PACKAGE_PATH"] = before


def list_models(package: str) -> tuple[str, ...]:
    """Return the names of a package's models.

    Raises:
        RobotError: if the package is not installed; suggests the nearest name.
    """
    return tuple(models_of_package(_distribution(package)))


def _file(path: Path) -> Located:
    suffix = path.suffix.lower()
    if suffix in USD:
        raise RobotError(f"{path}: is a USD file, which is not read: {CONVERT}")
    known = (URDF, XACRO, *SDF, *XML)
    if suffix not in known:
        raise RobotError(f"{path}: is not a {', '.join(known[:-1])} or {known[-1]} file")
    plain = path.stem.removesuffix(URDF)
    stem = path.resolve().parent.name if plain.lower() == "model" else plain
    return Located(path, _clean(stem))


def _in_folder(folder: Path, reference: str) -> Located:
    models = models_of_folder(folder)
    if not models:
        raise RobotError(f"{reference}: the folder holds no URDF or MJCF file")
    if len(models) > 1:
        paths = [str(path) for path in models.values()]
        raise RobotError(f"{reference}: holds {len(paths)} models, name one: {_some(paths)}")
    return _file(next(iter(models.values())))


def _in_package(package: str, model: str) -> Located:
    found = _distribution(package)
    name = str(found.metadata["Name"])
    models = models_of_package(found)
    if not models:
        raise RobotError(f'package "{name}" {found.version} holds no URDF or MJCF file')
    chosen = _choose(models, model, name)
    path, place = models[chosen]
    return Located(path, _clean(chosen), name, place)


def _choose(models: Mapping[str, V], model: str, package: str) -> str:
    """Return the model's full name; ``model`` is that name or a unique part of it.

    Raises:
        RobotError: if there is none, or several.
    """
    if model in models or (not model and len(models) == 1):
        return model or next(iter(models))
    if not model:
        listed = [f"{package}:{name}" for name in models]
        raise RobotError(f"{package} holds {len(models)} models, name one: {_some(listed)}")
    part = [name for name in models if model.lower() in name.lower()]
    if len(part) == 1:
        return part[0]
    if part:
        listed = [f"{package}:{name}" for name in part]
        raise RobotError(
            f'{package} holds {len(part)} models with "{model}", name one: {_some(listed)}'
        )
    hint = nearest(model, models) or f" (models: {_some(list(models))})"
    raise RobotError(f'{package} holds no model "{model}"{hint}')


def _distribution(package: str) -> Distribution:
    try:
        return distribution(package)
    except (PackageNotFoundError, ValueError):
        installed = {str(other.metadata["Name"]) for other in distributions()}
        raise RobotError(
            f'no file, folder or installed package "{package}"{nearest(package, installed)} '
            "(a package must be installed: pip install NAME)"
        ) from None


def _beside(path: Path) -> str:
    if not path.parent.is_dir():
        return f": there is no folder {path.parent}"
    return nearest(path.name, [other.name for other in path.parent.iterdir() if is_model(other)])


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a valid name for a folder and a body that is not taken."""
    clean, n = _clean(name), 1
    while clean in taken:
        n += 1
        clean = f"{_clean(name)}_{n}"
    return clean


def _clean(name: str) -> str:
    """Return a valid name for a folder and a body."""
    clean = re.sub(r"[^A-Za-z0-9_-]+", "_", name.rpartition("/")[2] if "/" in name else name)
    return clean if clean[:1].isalpha() or clean[:1] == "_" else f"robot_{clean}"

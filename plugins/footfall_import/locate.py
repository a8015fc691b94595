"""Find the model that a user names: a file, a folder, or a model of an installed package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import TypeVar

from footfall.errors import RobotError, nearest
from footfall_import.packaged_models import (
    URDF,
    XACRO,
    XML,
    is_model,
    models_of_folder,
    models_of_package,
)

V = TypeVar("V")
SHOWN = 12
"""How many models an error lists."""


@dataclass(frozen=True, slots=True)
class Located:
    """A model file that was found.

    Attributes:
        path: the file.
        name: short name of the robot.
        package: distribution that holds it, None for a file of the user's.
        place: where in the package it is; empty without one.
    """

    path: Path
    name: str
    package: str | None = None
    place: str = ""


def locate(reference: str) -> Located:
    """Return the model that a reference means.

    Args:
        reference: path of a URDF or MJCF file, or of a folder with one, or ``package:model``, or
            ``package`` if it holds one model.

    Raises:
        RobotError: if there is none, or several; offers the nearest, or lists them.
    """
    path = Path(reference).expanduser()
    if path.is_dir():
        return _in_folder(path, reference)
    if path.is_file():
        return _file(path)
    looks_like_path = "/" in reference.partition(":")[0] or path.suffix.lower() in (
        *XML,
        URDF,
        XACRO,
        ".sdf",
    )
    if looks_like_path and ":" not in reference:
        raise RobotError(f"{reference}: no such file{_beside(path)}")
    package, _, model = reference.partition(":")
    return _in_package(package, model)


def list_models(package: str) -> tuple[str, ...]:
    """Return the names of a package's models.

    Raises:
        RobotError: if the package is not installed; offers the nearest.
    """
    return tuple(models_of_package(_distribution(package)))


def _file(path: Path) -> Located:
    suffix = path.suffix.lower()
    if suffix == XACRO:
        expanded = path.with_suffix("") if path.stem.endswith(URDF) else path.with_suffix(URDF)
        raise RobotError(
            f"{path}: is a xacro, which is a program: expand it first (xacro {path.name} > "
            f"{expanded.name})"
        )
    if suffix == ".sdf":
        raise RobotError(f"{path}: SDF is not read (allowed: URDF, MJCF)")
    if suffix != URDF and suffix not in XML:
        raise RobotError(f"{path}: is no {URDF}, {' or '.join(XML)} file")
    stem = path.resolve().parent.name if path.stem.lower() == "model" else path.stem
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
    """Return the name of the model that is meant: the name itself, or the only one it is part of.

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


def _clean(name: str) -> str:
    """Return a name that a folder and a body may have."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name.rpartition("/")[2] if "/" in name else name)

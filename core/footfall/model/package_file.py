"""Find a robot's model file: beside its robot.toml, or in an installed package."""

from __future__ import annotations

from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from footfall.errors import RobotError
from footfall.formats.mesh_paths import share_folders
from footfall.model.spec import ModelFile


def model_path(model: ModelFile, file: str, robot: str, folder: Path) -> Path:
    """Return the path of a robot's model file, or of another file that goes with it.

    Args:
        model: the ``[model]`` table.
        file: what it gives as a path.
        robot: name of the robot, for errors.
        folder: that relative paths are relative to.

    Raises:
        RobotError: if the package is not installed (says the pip line), or has no such file.
    """
    if model.package is None:
        return folder / file
    try:
        package = distribution(model.package)
    except PackageNotFoundError:
        what = f"footfall[{model.extra}]" if model.extra else model.package
        raise RobotError(f'robot "{robot}" needs "{model.package}": pip install "{what}"') from None
    found = _in_distribution(package, PurePosixPath(file))
    if found is None:
        raise RobotError(
            f'robot "{robot}": package {model.package} {package.version} holds no {file}'
        )
    return found


def _in_distribution(package: Distribution, tail: PurePosixPath) -> Path | None:
    """Return the distribution's file whose path ends with ``tail``."""
    for file in package.files or ():
        if file.parts[-len(tail.parts) :] == tail.parts:
            path = Path(str(package.locate_file(file))).resolve()
            if path.is_file():
                return path
    # Packages that were not installed by pip list no files: look where such files go.
    for folder in share_folders():
        for path in (folder / tail, *sorted(folder.glob(f"*/{tail}"))):
            if path.is_file():
                return path
    return None

"""The source for an engine: a robot's model file in normal form, with its chosen joints.

The file lies beside robot.toml or in an installed package. Footfall warns of sections of other
formats that it does not read.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

import numpy as np

from footfall.errors import RobotError, RobotWarning
from footfall.formats.inertia import check_inertias
from footfall.formats.mesh_paths import share_folders
from footfall.formats.normal_form import Base, canonical_joints, normal_form
from footfall.formats.urdf import Urdf
from footfall.interfaces.engine import ModelSource
from footfall.model.description import ModelDescription
from footfall.model.spec import ModelFile, RobotSpec
from footfall.spatial.pose import Pose
from footfall.typing import Floats


def urdf_source(
    urdf: Urdf,
    name: str,
    gravity: Floats,
    base: Base,
    kept: tuple[str, ...],
    locked: Mapping[str, float],
    placement: Pose | None,
) -> ModelSource:
    """Return the source of a URDF in normal form; see ``normal_form``.

    Raises:
        RobotError: if a moving part has no mass or an inertia that is not physical.
    """
    check_inertias(urdf, kept, root_moves=base != "fixed")
    return ModelSource(
        name=name,
        format="urdf",
        path=str(urdf.path),
        xml=normal_form(urdf, base, kept, locked, placement),
        base="floating" if base == "floating" else "fixed",
        gravity=np.array(gravity, dtype=np.float64),
        joints=canonical_joints(urdf, base, kept),
    )


def model_path(model: ModelFile, file: str, robot: str, folder: Path) -> Path:
    """Return the path of a robot's model file, or of another file beside it.

    Args:
        model: the ``[model]`` table.
        file: path given in the table.
        robot: name of the robot, for errors.
        folder: base folder of relative paths.

    Raises:
        RobotError: if the package is not installed (gives the pip command), or has no such file.
    """
    if model.package is None:
        return folder / file
    try:
        package = distribution(model.package)
    except PackageNotFoundError:
        line = RobotError.pip(model.extra) if model.extra else f'pip install "{model.package}"'
        raise RobotError(f'robot "{robot}" needs "{model.package}": {line}') from None
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
    # Packages that were not installed by pip list no files: search the usual folders.
    for folder in share_folders():
        for path in (folder / tail, *sorted(folder.glob(f"*/{tail}"))):
            if path.is_file():
                return path
    return None


def tell_of_unread(model: ModelDescription, spec: RobotSpec) -> None:
    """Warn, in one line, of the model file's sections that robot.toml does not treat."""
    unread = {
        "actuator": not spec.actuators,
        "contact": not spec.contact_features,
        "keyframe": not spec.posture,
        "sensor": not spec.sensors,
        "equality": spec.model.loops == "ignored",
    }
    found = [f"<{tag}>" for tag, silent in unread.items() if silent and tag in model.sections]
    if found:
        warnings.warn(
            f"{model.path}: not read: {', '.join(found)}; add them to robot.toml if needed",
            RobotWarning,
            stacklevel=2,
        )

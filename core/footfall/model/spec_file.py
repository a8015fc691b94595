"""Read a ``robot.toml``."""

from __future__ import annotations

from pathlib import Path

from footfall.config.read_toml import read_toml
from footfall.config.validate import validate
from footfall.model.spec import RobotSpec


def read_spec(path: Path | str) -> RobotSpec:
    """Read and validate a robot file.

    Raises:
        SceneError: if it cannot be read, or a key or value is not allowed; names file, line and
            key, what is allowed and the nearest name.
    """
    toml = read_toml(path)
    return validate(RobotSpec, toml.data, file=toml.file, lines=toml.lines)

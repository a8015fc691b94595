"""The robots that come with Footfall."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

SPEC = "robot.toml"
"""Name of the file that makes a folder a robot."""


def bundled_folder() -> Path:
    """Return the folder of the robots that come with Footfall."""
    return Path(str(files("footfall_robots")))


def list_robots() -> tuple[str, ...]:
    """Return the names of the robots that come with Footfall, sorted."""
    return tuple(sorted(path.parent.name for path in bundled_folder().glob(f"*/{SPEC}")))

"""Specification of robots and objects: robot.toml, contact features, loops, actuators, sensors."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def bundled_folder() -> Path:
    """Return the folder of the robots that come with Footfall."""
    return Path(str(files("footfall_robots")))

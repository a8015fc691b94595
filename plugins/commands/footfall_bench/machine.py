"""Machine and versions that figures of speed are measured with, and a check for MuJoCo."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from footfall.api.plugin import PluginError

DISTRIBUTIONS = ("footfall", "llvmlite", "numpy", "pin", "mujoco-core")


def versions() -> dict[str, str]:
    """Return the versions that figures depend on."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def machine() -> str:
    """Return the processor, its cores, and the system."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def _processor() -> str:
    """Return the processor's name as Linux reports it, or else its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def header() -> str:
    """Return machine and versions as two lines."""
    listed = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"{machine()}\n{listed}"


def beside_mujoco(own: bool) -> bool:
    """Return whether MuJoCo is measured as well.

    Args:
        own: whether to measure Footfall alone.

    Raises:
        PluginError: if MuJoCo is needed and not installed.
    """
    if own:
        return False
    if find_spec("mujoco") is None:
        raise PluginError(
            f"MuJoCo is not installed: {PluginError.pip('bench')}, "
            "or give --own to measure Footfall alone"
        )
    return True

"""Which robots come in packages of their own, and modules in extras; tests without are skipped."""

from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec

import pytest

PACKAGES = {
    "icub": ("icub-models", "icub"),
    "jvrc": ("jvrc_description", "jvrc"),
    "panda": ("example-robot-data", "robots"),
}
"""Package and extra by robot."""


def need_package(name):
    """Skip the test if the package that holds a robot, or the robot of a scene, is missing."""
    for robot, (package, extra) in PACKAGES.items():
        if name.startswith(robot):
            try:
                distribution(package)
            except PackageNotFoundError:
                pytest.skip(f'pip install -e ".[{extra}]"')


def need_module(name, extra):
    """Skip the test, or all of a module's, if a module is not there; it is not imported."""
    if find_spec(name) is None:
        pytest.skip(f'pip install -e ".[{extra}]"', allow_module_level=True)
